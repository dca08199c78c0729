// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - port counters
 *
 * They are where those of hardware are:
 *
 *	/sys/class/infiniband/NAME/ports/N/counters/	by PMA MADs: PortCounters,
 *		which stay at their highest value when they overflow, and
 *		PortCountersExtended, unless the device is "narrow"
 *	/sys/class/infiniband/NAME/ports/N/hw_counters/ by name, all 64 bits
 *
 * and are set by tests:
 *
 *	/sys/class/infiniband/NAME/ports/N/hca/counters
 *		"NAME VALUE", or "NAME +VALUE" to add. Read: all, one per line.
 *
 * NAME is tx_bytes, tx_packets, rx_bytes, rx_packets, tx_wait, tx_discards,
 * rx_errors, symbol_errors or link_downed. MADs count data in units of 4 bytes.
 * ib_core asks only once, when the device comes, whether it has extended
 * counters; so "narrow" is an argument of "add" (see main.c).
 */
#include "hca.h"

#include <linux/kstrtox.h>
#include <linux/string.h>
#include <rdma/ib_pma.h>

static const struct rdma_stat_desc counter_descs[HCA_COUNTERS] = {
	[HCA_TX_BYTES].name = "tx_bytes",
	[HCA_TX_PACKETS].name = "tx_packets",
	[HCA_RX_BYTES].name = "rx_bytes",
	[HCA_RX_PACKETS].name = "rx_packets",
	[HCA_TX_WAIT].name = "tx_wait",
	[HCA_TX_DISCARDS].name = "tx_discards",
	[HCA_RX_ERRORS].name = "rx_errors",
	[HCA_SYMBOL_ERRORS].name = "symbol_errors",
	[HCA_LINK_DOWNED].name = "link_downed",
};

struct counters {
	u64 value[HCA_COUNTERS];
};

static void counters_read(struct hca_device *hca, u32 number,
			  struct counters *to)
{
	spin_lock(&hca->lock);
	memcpy(to->value, hca_port(hca, number)->counter, sizeof(to->value));
	spin_unlock(&hca->lock);
}

static __be32 sat32(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

static __be16 sat16(u64 value)
{
	return cpu_to_be16(min_t(u64, value, U16_MAX));
}

static void pma_counters(const struct counters *c,
			 struct ib_pma_portcounters *to)
{
	to->symbol_error_counter = sat16(c->value[HCA_SYMBOL_ERRORS]);
	to->link_downed_counter = min_t(u64, c->value[HCA_LINK_DOWNED], U8_MAX);
	to->port_rcv_errors = sat16(c->value[HCA_RX_ERRORS]);
	to->port_xmit_discards = sat16(c->value[HCA_TX_DISCARDS]);
	to->port_xmit_data = sat32(c->value[HCA_TX_BYTES] / 4);
	to->port_rcv_data = sat32(c->value[HCA_RX_BYTES] / 4);
	to->port_xmit_packets = sat32(c->value[HCA_TX_PACKETS]);
	to->port_rcv_packets = sat32(c->value[HCA_RX_PACKETS]);
	to->port_xmit_wait = sat32(c->value[HCA_TX_WAIT]);
}

/* All of it is unicast. */
static void pma_counters_ext(const struct counters *c,
			     struct ib_pma_portcounters_ext *to)
{
	to->port_xmit_data = cpu_to_be64(c->value[HCA_TX_BYTES] / 4);
	to->port_rcv_data = cpu_to_be64(c->value[HCA_RX_BYTES] / 4);
	to->port_xmit_packets = cpu_to_be64(c->value[HCA_TX_PACKETS]);
	to->port_rcv_packets = cpu_to_be64(c->value[HCA_RX_PACKETS]);
	to->port_unicast_xmit_packets = to->port_xmit_packets;
	to->port_unicast_rcv_packets = to->port_rcv_packets;
}

static bool pma_get(struct hca_device *hca, u32 number,
		    const struct ib_pma_mad *in, struct ib_pma_mad *out)
{
	struct ib_class_port_info *info = (void *)out->data;
	struct counters counters;

	counters_read(hca, number, &counters);
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		info->base_version = IB_MGMT_BASE_VERSION;
		info->class_version = 1;
		info->capability_mask = IB_PMA_CLASS_CAP_XMIT_WAIT;
		if (!hca->narrow)
			info->capability_mask |= IB_PMA_CLASS_CAP_EXT_WIDTH;
		return true;
	case IB_PMA_PORT_COUNTERS:
		pma_counters(&counters, (void *)out->data);
		out->data[1] = number;
		return true;
	case IB_PMA_PORT_COUNTERS_EXT:
		if (hca->narrow)
			return false;
		pma_counters_ext(&counters, (void *)out->data);
		out->data[1] = number;
		return true;
	default:
		return false;
	}
}

int hca_process_mad(struct ib_device *ibdev, int flags, u32 number,
		    const struct ib_wc *wc, const struct ib_grh *grh,
		    const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	struct ib_pma_mad *reply = (void *)out;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;

	memset(reply, 0, sizeof(*reply));
	reply->mad_hdr = in->mad_hdr;
	reply->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (!pma_get(to_hca(ibdev), number, (const void *)in, reply))
		return IB_MAD_RESULT_FAILURE;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

struct rdma_hw_stats *hca_alloc_hw_port_stats(struct ib_device *ibdev,
					      u32 number)
{
	return rdma_alloc_hw_stats_struct(counter_descs, HCA_COUNTERS,
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

int hca_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		     u32 number, int index)
{
	struct counters counters;

	if (!number)
		return -EOPNOTSUPP;
	counters_read(to_hca(ibdev), number, &counters);
	memcpy(stats->value, counters.value, sizeof(counters.value));
	return HCA_COUNTERS;
}

static ssize_t counters_show(struct ib_device *ibdev, u32 number,
			     struct ib_port_attribute *attr, char *buf)
{
	struct counters counters;
	ssize_t len = 0;
	int i;

	counters_read(to_hca(ibdev), number, &counters);
	for (i = 0; i < HCA_COUNTERS; i++)
		len += sysfs_emit_at(buf, len, "%s %llu\n",
				     counter_descs[i].name, counters.value[i]);
	return len;
}

static ssize_t counters_store(struct ib_device *ibdev, u32 number,
			      struct ib_port_attribute *attr, const char *buf,
			      size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	char name[16], text[24], end;
	u64 value, *counter;
	bool add;
	int i;

	if (sscanf(buf, "%15s %23s %c", name, text, &end) != 2)
		return -EINVAL;
	add = *text == '+';
	for (i = 0; i < HCA_COUNTERS; i++)
		if (!strcmp(counter_descs[i].name, name))
			break;
	if (i == HCA_COUNTERS || kstrtou64(text + add, 10, &value))
		return -EINVAL;

	spin_lock(&hca->lock);
	counter = &hca_port(hca, number)->counter[i];
	*counter = add ? *counter + value : value;
	spin_unlock(&hca->lock);
	return count;
}

IB_PORT_ATTR_RW(counters);
