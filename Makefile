# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# The targets that people use; "make help" tells them. Kernel modules are described
# by Kbuild (and tests/kmod/Kbuild), programs by userspace/Makefile.

prefix ?= /usr/local
includedir ?= $(prefix)/include
sbindir ?= $(prefix)/sbin
mandir ?= $(prefix)/share/man
completiondir ?= $(prefix)/share/bash-completion/completions
export prefix sbindir mandir completiondir

# Which kernel: see scripts/kbuild.
KVER ?= default

kbuild := scripts/kbuild
# Words for the kernel's build, if given.
kflags := -s $(foreach v,W C V,$(if $($(v)),$(v)=$($(v))))

.PHONY: all help modules test-modules userspace test-programs sparse demo bench check kunit fuzz \
	coverage deps install uninstall regen clean distclean

all: modules userspace

help:
	@echo 'scaleFabric: see, watch and move the RDMA queue pairs of a host'
	@echo
	@echo '  make demo          two virtual hosts, a full link, and QPs moved off it [KVER=]'
	@echo '  make bench         what the module costs, and how it scales [KVER=]'
	@echo '  make check         all tests, on all kernels; results in build/check'
	@echo '  make kunit         unit tests of the module, on the test kernel'
	@echo '  make fuzz          feed garbage to the parsers of user space [TIME=seconds each]'
	@echo '  make coverage      which lines of the module the tests run, on the test kernel'
	@echo
	@echo '  make               build the module and the programs into build/'
	@echo '  make modules       scalefabric.ko            [KVER=] [W=1]'
	@echo '  make test-modules  modules for tests         [KVER=]'
	@echo '  make userspace     sfnl'
	@echo '  make sparse        check the module with sparse [KVER=]'
	@echo '  make regen         the netlink code, from Documentation/netlink/specs'
	@echo '  make deps          install the packages to build, demo and check with'
	@echo '  make install       module, sfnl, man page, header [KVER=] [prefix=] [DESTDIR=]'
	@echo '  make uninstall     remove them'
	@echo '  make clean         remove build/'
	@echo '  make distclean     remove build/ and the cache of kernels'
	@echo
	@echo 'KVER is a kernel release with installed headers, or 6.1 or 6.12 (fetched by'
	@echo 'scripts/kernel-cache), or test (built by scripts/kernel); by default the running'
	@echo 'kernel, or else 6.12.'

modules:
	@echo '  KBUILD  scalefabric.ko for $(KVER)'
	@$(kbuild) module $(KVER) $(kflags)

test-modules:
	@echo '  KBUILD  tests/kmod for $(KVER)'
	@$(kbuild) test-modules $(KVER) $(kflags)

sparse:
	@$(kbuild) module $(KVER) -s C=2 CF=-D__CHECK_ENDIAN__

userspace:
	@$(MAKE) --no-print-directory -C userspace

test-programs:
	@$(MAKE) --no-print-directory -s -C tests/prog O=$(CURDIR)/build/tests
	@$(MAKE) --no-print-directory -s -C tests/fuzz O=$(CURDIR)/build/tests

deps:
	@scripts/deps build vm test demo

demo:
	@scripts/deps build vm demo
	@scripts/demo $(filter-out default,$(KVER))

bench:
	@scripts/deps build vm test
	@scripts/bench $(filter-out default,$(KVER))

check:
	@scripts/deps build vm test
	@scripts/check

kunit:
	@scripts/deps build vm test
	@scripts/kunit

TIME ?= 60

fuzz:
	@scripts/deps build test
	@$(MAKE) --no-print-directory -C tests/fuzz run TIME=$(TIME)

coverage:
	@scripts/deps build vm test
	@scripts/check --kernel test --only '@(build/*|kunit|vm/*)'
	@scripts/coverage

regen:
	@scripts/regen "$$(scripts/kernel-cache path source)"

install: all
	release=$$($(kbuild) release $(KVER)) && \
	module="$(DESTDIR)/lib/modules/$$release/updates/scalefabric.ko" && \
	install -D -m 644 build/$$release/scalefabric.ko "$$module" && \
	strip --strip-debug "$$module" && \
	$(if $(DESTDIR),:,depmod $$release)
	install -D -m 644 uapi/linux/scalefabric.h \
		$(DESTDIR)$(includedir)/linux/scalefabric.h
	@$(MAKE) --no-print-directory -C userspace install

uninstall:
	release=$$($(kbuild) release $(KVER)) && \
	rm -f "$(DESTDIR)/lib/modules/$$release/updates/scalefabric.ko" && \
	$(if $(DESTDIR),:,depmod $$release)
	rm -f $(DESTDIR)$(includedir)/linux/scalefabric.h $(DESTDIR)$(sbindir)/sfnl \
		$(DESTDIR)$(mandir)/man8/sfnl.8 $(DESTDIR)$(completiondir)/sfnl

clean:
	rm -rf build

distclean: clean
	@scripts/kernel-cache clear
