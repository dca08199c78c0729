# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0
#
# Tests of user space, included by userspace/Makefile: the same objects as
# sfnl's, built with sanitizers, linked with a transport that plays scripts.

T := $(O)-tests
TEST_SRCS := $(addprefix $(TESTS)/,main.c harness.c script.c craft.c test_args.c test_client.c \
	test_show.c test_monitor.c test_recordings.c test_garbage.c)
TEST_OBJS := $(TEST_SRCS:$(TESTS)/%.c=$(T)/tests/%.o) $(SFNL_SRCS:%.c=$(T)/%.o) $(T)/lib/client.o
WRAP := $(addprefix -Wl$(comma)--wrap=sf_transport_,join send recv)

check: $(T)/sfnl-test $(O)/sfnl-record
	$(Q)$(TESTS)/run $(T)/sfnl-test "$(TESTS)/completion.sh sfnl/completion/sfnl"

$(T)/sfnl-test: $(TEST_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(PKG_LIBS)

record: $(O)/sfnl-record

# Runs against a real module, so without sanitizers.
$(O)/sfnl-record: $(O)/tests/record.o $(SFNL_SRCS:%.c=$(O)/%.o) $(O)/libscalefabric.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(WRAP) -o $@ $^ $(PKG_LIBS)

$(O)/tests/%.o: $(TESTS)/%.c $(MAKEFILE_LIST)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(T)/tests/%.o: $(TESTS)/%.c $(MAKEFILE_LIST)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) -DDATA='"$(abspath $(TESTS)/data)"' \
		$(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<

$(T)/%.o: %.c $(MAKEFILE_LIST)
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -MMD -MP -c -o $@ $<
