/* SPDX-License-Identifier: GPL-2.0 */
/* scaleFabric tests - threads, and waiting for what other threads do */
#ifndef _SF_TEST_THREAD_H
#define _SF_TEST_THREAD_H

#include <kunit/test.h>
#include <linux/kthread.h>

/**
 * sf_test_thread - run a function beside the test
 * @test: ends the thread if sf_test_join() does not
 * @cpu: where to run it
 * @fn: the function; is to return when kthread_should_stop()
 * @data: its argument
 */
struct task_struct *sf_test_thread(struct kunit *test, unsigned int cpu,
				   int (*fn)(void *data), void *data);

/* End a thread. Return: what its function returned. */
int sf_test_join(struct kunit *test, struct task_struct *thread);

/*
 * The process that the test runs in, with a reference for the caller. It has one more,
 * and none that comes and goes: references can be counted.
 */
struct pid *sf_test_pid(struct kunit *test);

/* The CPU for the n-th of several threads: one after the other, and again. */
unsigned int sf_test_cpu(unsigned int n);

/* clang-format off */

/*
 * Wait until a condition is true. The limit ends what would never end; nothing
 * depends on how long it takes. Return: whether it came true.
 */
#define SF_TEST_WAIT(condition)						\
	({								\
		unsigned long __end = jiffies + 120 * HZ;		\
		bool __true;						\
									\
		while (!(__true = (condition)) &&			\
		       time_before(jiffies, __end))			\
			schedule_timeout_uninterruptible(1);		\
		__true;							\
	})

/* clang-format on */

#endif /* _SF_TEST_THREAD_H */
