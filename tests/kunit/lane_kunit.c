// SPDX-License-Identifier: GPL-2.0
/*
 * scaleFabric tests - the lanes of a device
 *
 * Included by kmod/lane.c. That a lane keeps its number while anybody could miss it,
 * that numbers are used again only when nobody does, that there are never more than
 * there is room for, and that the QPs on each are counted.
 */
#include <kunit/test.h>

#include "tests/kunit/fake_device.h"

#define UP SCALEFABRIC_LANE_STATE_UP
#define DOWN SCALEFABRIC_LANE_STATE_DOWN
#define ABSENT SCALEFABRIC_LANE_STATE_ABSENT

/* As a refresh does it when it finds one. */
static struct sf_lane *find_lane(struct sf_device *sdev, u8 port, int ifindex,
				 u8 state)
{
	struct sf_lane *lane;

	mutex_lock(&sdev->lanes.lock);
	lane = lane_slot(&sdev->lanes, port, ifindex);
	if (lane)
		lane->state = state;
	mutex_unlock(&sdev->lanes.lock);
	return lane;
}

static void lanes_keep_their_numbers(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_lane *lanes = sdev->lanes.lane;

	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 7), SF_LANE_NONE);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 7, UP), &lanes[0]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 8, UP), &lanes[1]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 2, 7, UP), &lanes[2]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 7, ABSENT), &lanes[0]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 9, UP), &lanes[3]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 7, UP), &lanes[0]);
	KUNIT_EXPECT_EQ(test, sdev->lanes.count, 4);

	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 7), 0);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 8), 1);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 2, 7), 2);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 9), 3);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 3, 7), SF_LANE_NONE);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 10), SF_LANE_NONE);
}

static void no_more_than_there_is_room_for(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_lane *lanes = sdev->lanes.lane;
	int i;

	for (i = 0; i < SF_LANE_MAX; i++)
		KUNIT_ASSERT_PTR_EQ(test, find_lane(sdev, 1, 100 + i, UP),
				    &lanes[i]);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 200, UP), NULL);
	KUNIT_EXPECT_EQ(test, sdev->lanes.count, SF_LANE_MAX);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 200), SF_LANE_NONE);

	/* Down is not gone, and gone is not free while QPs are on it. */
	lanes[4].state = DOWN;
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 200, UP), NULL);
	sf_lane_count(sdev, 5, 1);
	lanes[5].state = ABSENT;
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 200, UP), NULL);
	lanes[9].state = ABSENT;
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 200, UP), &lanes[9]);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 200), 9);
	KUNIT_EXPECT_EQ(test, sf_lane_number(sdev, 1, 109), SF_LANE_NONE);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 201, UP), NULL);

	sf_lane_count(sdev, 5, -1);
	KUNIT_EXPECT_PTR_EQ(test, find_lane(sdev, 1, 201, UP), &lanes[5]);
	KUNIT_EXPECT_EQ(test, sdev->lanes.count, SF_LANE_MAX);
}

static void single_lane_of_a_port(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);

	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), SF_LANE_NONE);
	find_lane(sdev, 2, 7, UP);
	find_lane(sdev, 1, 7, DOWN);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), 1);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 2), 0);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 3), SF_LANE_NONE);

	find_lane(sdev, 1, 8, UP);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), SF_LANE_NONE);
	find_lane(sdev, 1, 9, UP);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), SF_LANE_NONE);

	/* One that is gone does not count. */
	find_lane(sdev, 1, 7, ABSENT);
	find_lane(sdev, 1, 8, ABSENT);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), 3);
	find_lane(sdev, 1, 9, ABSENT);
	KUNIT_EXPECT_EQ(test, sf_lane_single(sdev, 1), SF_LANE_NONE);
}

static void only_lanes_there_are_can_be_read(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_lane lane;

	KUNIT_EXPECT_FALSE(test, sf_lane_read(sdev, 0, &lane));
	find_lane(sdev, 3, 7, DOWN);
	KUNIT_EXPECT_TRUE(test, sf_lane_read(sdev, 0, &lane));
	KUNIT_EXPECT_EQ(test, lane.port, 3);
	KUNIT_EXPECT_EQ(test, lane.ifindex, 7);
	KUNIT_EXPECT_EQ(test, lane.state, DOWN);
	KUNIT_EXPECT_FALSE(test, sf_lane_read(sdev, 1, &lane));
	KUNIT_EXPECT_FALSE(test, sf_lane_read(sdev, SF_LANE_NONE, &lane));
	/* Its low byte is a lane. */
	KUNIT_EXPECT_FALSE(test, sf_lane_read(sdev, 0x100, &lane));
}

static void qps_are_counted_by_lane(struct kunit *test)
{
	struct sf_device *sdev = sf_fake_device(test, NULL);

	sf_lane_count(sdev, 0, 3);
	sf_lane_count(sdev, SF_LANE_MAX - 1, 2);
	sf_lane_count(sdev, SF_LANE_NONE, 1);
	sf_lane_count(sdev, 0, -1);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, 0), 2);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, 1), 0);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_MAX - 1), 2);
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_NONE), 1);
	/* All numbers that are none count as one. */
	KUNIT_EXPECT_EQ(test, sf_lane_qps(sdev, SF_LANE_MAX), 1);
}

static void speed_of_infiniband(struct kunit *test)
{
	static const struct {
		struct ib_port_attr attr;
		u32 speed;
		u8 state;
	} ports[] = {
		{ { .state = IB_PORT_ACTIVE,
		    .active_width = IB_WIDTH_4X,
		    .active_speed = IB_SPEED_SDR },
		  10000,
		  UP },
		{ { .state = IB_PORT_ACTIVE,
		    .active_width = IB_WIDTH_4X,
		    .active_speed = IB_SPEED_EDR },
		  100000,
		  UP },
		{ { .state = IB_PORT_ACTIVE,
		    .active_width = IB_WIDTH_2X,
		    .active_speed = IB_SPEED_HDR },
		  100000,
		  UP },
		{ { .state = IB_PORT_DOWN,
		    .active_width = IB_WIDTH_1X,
		    .active_speed = IB_SPEED_NDR },
		  100000,
		  DOWN },
		{ { .state = IB_PORT_INIT,
		    .active_width = IB_WIDTH_12X,
		    .active_speed = IB_SPEED_FDR },
		  168000,
		  DOWN },
		{ { .state = IB_PORT_ACTIVE,
		    .active_width = 0,
		    .active_speed = IB_SPEED_EDR },
		  0,
		  UP },
		{ { .state = IB_PORT_ACTIVE,
		    .active_width = IB_WIDTH_4X,
		    .active_speed = 0 },
		  0,
		  UP },
	};
	struct sf_device *sdev = sf_fake_device(test, NULL);
	struct sf_lane lane;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		mutex_lock(&sdev->lanes.lock);
		lane_set_ib(&sdev->lanes, 1, &ports[i].attr);
		mutex_unlock(&sdev->lanes.lock);
		KUNIT_ASSERT_TRUE(test, sf_lane_read(sdev, 0, &lane));
		KUNIT_EXPECT_EQ(test, lane.speed, ports[i].speed);
		KUNIT_EXPECT_EQ(test, lane.state, ports[i].state);
		KUNIT_EXPECT_EQ(test, lane.link_layer,
				SCALEFABRIC_LINK_LAYER_INFINIBAND);
		KUNIT_EXPECT_EQ(test, lane.ifindex, 0);
	}
	KUNIT_EXPECT_EQ(test, sdev->lanes.count, 1);
}

static struct kunit_case lane_cases[] = {
	KUNIT_CASE(lanes_keep_their_numbers),
	KUNIT_CASE(no_more_than_there_is_room_for),
	KUNIT_CASE(single_lane_of_a_port),
	KUNIT_CASE(only_lanes_there_are_can_be_read),
	KUNIT_CASE(qps_are_counted_by_lane),
	KUNIT_CASE(speed_of_infiniband),
	{}
};

static struct kunit_suite lane_suite = {
	.name = "scalefabric_lane",
	.test_cases = lane_cases,
};

kunit_test_suite(lane_suite);
