# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Bandwidth of both planes over time:
#
#	gnuplot -c demo.gnuplot CSV SVG MOMENTS
#
# CSV: seconds, Mbit/s on plane 0, Mbit/s on plane 1. MOMENTS: seconds, text.

set terminal svg size 900,420 font "sans-serif,13" background "white"
set output ARG2
set datafile separator ","
set title "Bandwidth per plane while QPs are moved"
set xlabel "seconds"
set ylabel "Mbit/s"
stats ARG1 using ($2 + $3) nooutput
set yrange [0:STATS_max * 1.25]
set key below horizontal
set grid ytics lc rgb "#dddddd"
set style fill transparent solid 0.15

plot ARG1 using 1:($2 + $3) with filledcurves y1=0 lc rgb "#888888" title "total", \
     ARG1 using 1:2 with lines lw 2 lc rgb "#1f77b4" title "plane 0", \
     ARG1 using 1:3 with lines lw 2 lc rgb "#d62728" title "plane 1", \
     ARG3 using 1:(STATS_max * 1.1):(0):(-STATS_max * 1.1) with vectors nohead dt 2 lc rgb "#333333" notitle, \
     ARG3 using 1:(STATS_max * 1.14):2 with labels left offset 0.5,0 notitle
