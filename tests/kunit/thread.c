// SPDX-License-Identifier: GPL-2.0
/* scaleFabric tests - threads, and waiting for what other threads do */
#include "thread.h"

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

struct start {
	int (*fn)(void *data);
	void *data;
	struct completion begun;
};

/* A thread that is ended before it has begun would never run. */
static int thread_begin(void *data)
{
	struct start *start = data;

	complete(&start->begun);
	return start->fn(start->data);
}

static void thread_end(void *data)
{
	struct task_struct *thread = data;

	kthread_stop(thread);
	put_task_struct(thread);
}

struct task_struct *sf_test_thread(struct kunit *test, unsigned int cpu,
				   int (*fn)(void *data), void *data)
{
	struct task_struct *thread;
	struct start *start;

	start = kunit_kzalloc(test, sizeof(*start), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, start);
	start->fn = fn;
	start->data = data;
	init_completion(&start->begun);
	thread = kthread_create(thread_begin, start, "sf-test/%u", cpu);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	kthread_bind(thread, cpu);
	/* It may end by itself. */
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&start->begun);
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, thread_end, thread));
	return thread;
}

int sf_test_join(struct kunit *test, struct task_struct *thread)
{
	int ret;

	kunit_remove_action(test, thread_end, thread);
	ret = kthread_stop(thread);
	put_task_struct(thread);
	return ret;
}

struct pid *sf_test_pid(struct kunit *test)
{
	struct pid *pid = get_pid(task_tgid(current));

	/* Who started this thread lets go of it when it runs already. */
	KUNIT_ASSERT_TRUE(test, SF_TEST_WAIT(refcount_read(&pid->count) == 2));
	return pid;
}

unsigned int sf_test_cpu(unsigned int n)
{
	unsigned int cpu = cpumask_first(cpu_online_mask);

	for (n %= num_online_cpus(); n > 0; n--)
		cpu = cpumask_next(cpu, cpu_online_mask);
	return cpu;
}
