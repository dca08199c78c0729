// SPDX-License-Identifier: GPL-2.0
/*
 * sf_hca - ports
 *
 * Each is a way out of its own. All of an InfiniBand device are in one subnet at
 * first, each with a GUID of its own, which makes its only GID. On Ethernet ib_core
 * makes GIDs from the addresses of the port's network device; without one there
 * are none.
 *
 * Files in /sys/class/infiniband/NAME/ports/N/hca/. What is written is dispatched
 * as real devices do, with the event in brackets:
 *
 *	state		"up" or "down" (PORT_ACTIVE, PORT_ERR)
 *	lid		1 to 0xbfff (LID_CHANGE); InfiniBand only
 *	subnet_prefix	64 bits (GID_CHANGE, by which ib_core reads the GIDs again and
 *			which it keeps for itself); InfiniBand only
 *	pkeys		"INDEX PKEY" (PKEY_CHANGE); read: the table, one per line
 *	mtu		256, 512, 1024, 2048 or 4096: the active one (PORT_ACTIVE)
 *	speed		"SPEED WIDTH" (PORT_ACTIVE): SPEED is that of one link
 *			(sdr ddr qdr fdr10 fdr edr hdr ndr), WIDTH the number of
 *			links (1 2 4 8 12)
 *	counters	see counter.c
 */
#include "hca.h"

#include <linux/kstrtox.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>

#define LID_MAX 0xbfff
#define SUBNET_DEFAULT 0xfe80000000000000ULL
#define PKEY_DEFAULT 0xffff

static const struct {
	const char *name;
	u16 speed;
} speeds[] = {
	{ "sdr", IB_SPEED_SDR }, { "ddr", IB_SPEED_DDR },
	{ "qdr", IB_SPEED_QDR }, { "fdr10", IB_SPEED_FDR10 },
	{ "fdr", IB_SPEED_FDR }, { "edr", IB_SPEED_EDR },
	{ "hdr", IB_SPEED_HDR }, { "ndr", IB_SPEED_NDR },
};

static const u8 widths[] = {
	IB_WIDTH_1X, IB_WIDTH_2X, IB_WIDTH_4X, IB_WIDTH_8X, IB_WIDTH_12X,
};

void hca_port_init(struct hca_device *hca, u32 number, u64 guid)
{
	*hca_port(hca, number) = (struct hca_port){
		.state = IB_PORT_ACTIVE,
		.mtu = IB_MTU_4096,
		.speed = IB_SPEED_EDR,
		.width = IB_WIDTH_4X,
		.lid = hca->ib ? number : 0,
		.subnet_prefix = SUBNET_DEFAULT,
		.guid = guid,
		.pkey[0] = PKEY_DEFAULT,
	};
}

/* ib_core takes the last one's prefix for the port's. */
static int gid_table_len(const struct hca_device *hca)
{
	return hca->ib ? 1 : HCA_GIDS;
}

int hca_query_port(struct ib_device *ibdev, u32 number,
		   struct ib_port_attr *attr)
{
	struct hca_device *hca = to_hca(ibdev);
	struct hca_port *port = hca_port(hca, number);

	spin_lock(&hca->lock);
	attr->state = port->state;
	attr->phys_state = port->state == IB_PORT_ACTIVE ?
				   IB_PORT_PHYS_STATE_LINK_UP :
				   IB_PORT_PHYS_STATE_POLLING;
	attr->active_mtu = port->mtu;
	attr->active_speed = port->speed;
	attr->active_width = port->width;
	attr->lid = port->lid;
	spin_unlock(&hca->lock);

	attr->max_mtu = IB_MTU_4096;
	attr->gid_tbl_len = gid_table_len(hca);
	attr->pkey_tbl_len = HCA_PKEYS;
	attr->max_msg_sz = SZ_1G;
	attr->max_vl_num = 1;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	if (hca->ib)
		attr->sm_lid = 1;
	else
		attr->ip_gids = true;
	return 0;
}

int hca_get_port_immutable(struct ib_device *ibdev, u32 number,
			   struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = to_hca(ibdev)->ib ?
					    RDMA_CORE_PORT_IBA_IB :
					    RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->gid_tbl_len = gid_table_len(to_hca(ibdev));
	immutable->pkey_tbl_len = HCA_PKEYS;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer hca_get_link_layer(struct ib_device *ibdev, u32 number)
{
	return to_hca(ibdev)->ib ? IB_LINK_LAYER_INFINIBAND :
				   IB_LINK_LAYER_ETHERNET;
}

int hca_query_gid(struct ib_device *ibdev, u32 number, int index,
		  union ib_gid *gid)
{
	struct hca_device *hca = to_hca(ibdev);
	struct hca_port *port = hca_port(hca, number);

	if (index)
		return -EINVAL;
	spin_lock(&hca->lock);
	gid->global.subnet_prefix = cpu_to_be64(port->subnet_prefix);
	gid->global.interface_id = cpu_to_be64(port->guid);
	spin_unlock(&hca->lock);
	return 0;
}

int hca_query_pkey(struct ib_device *ibdev, u32 number, u16 index, u16 *pkey)
{
	if (index >= HCA_PKEYS)
		return -EINVAL;
	*pkey = READ_ONCE(hca_port(to_hca(ibdev), number)->pkey[index]);
	return 0;
}

static void port_event(struct hca_device *hca, u32 number,
		       enum ib_event_type type)
{
	struct ib_event event = {
		.device = &hca->ibdev,
		.element.port_num = number,
		.event = type,
	};

	ib_dispatch_event(&event);
}

static ssize_t state_show(struct ib_device *ibdev, u32 number,
			  struct ib_port_attribute *attr, char *buf)
{
	struct hca_port *port = hca_port(to_hca(ibdev), number);

	return sysfs_emit(buf, "%s\n",
			  READ_ONCE(port->state) == IB_PORT_ACTIVE ? "up" :
								     "down");
}

static ssize_t state_store(struct ib_device *ibdev, u32 number,
			   struct ib_port_attribute *attr, const char *buf,
			   size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	struct hca_port *port = hca_port(hca, number);
	enum ib_port_state state = IB_PORT_ACTIVE;
	enum ib_event_type event = IB_EVENT_PORT_ACTIVE;
	bool changed;

	if (sysfs_streq(buf, "down")) {
		state = IB_PORT_DOWN;
		event = IB_EVENT_PORT_ERR;
	} else if (!sysfs_streq(buf, "up")) {
		return -EINVAL;
	}

	spin_lock(&hca->lock);
	changed = port->state != state;
	port->state = state;
	if (changed && state == IB_PORT_DOWN)
		port->counter[HCA_LINK_DOWNED]++;
	spin_unlock(&hca->lock);
	if (changed)
		port_event(hca, number, event);
	return count;
}

static IB_PORT_ATTR_RW(state);

static ssize_t lid_show(struct ib_device *ibdev, u32 number,
			struct ib_port_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n",
			  READ_ONCE(hca_port(to_hca(ibdev), number)->lid));
}

static ssize_t lid_store(struct ib_device *ibdev, u32 number,
			 struct ib_port_attribute *attr, const char *buf,
			 size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	u16 lid;

	if (!hca->ib || kstrtou16(buf, 0, &lid) || !lid || lid > LID_MAX)
		return -EINVAL;
	WRITE_ONCE(hca_port(hca, number)->lid, lid);
	port_event(hca, number, IB_EVENT_LID_CHANGE);
	return count;
}

static IB_PORT_ATTR_RW(lid);

static ssize_t subnet_prefix_show(struct ib_device *ibdev, u32 number,
				  struct ib_port_attribute *attr, char *buf)
{
	struct hca_port *port = hca_port(to_hca(ibdev), number);

	return sysfs_emit(buf, "0x%016llx\n", READ_ONCE(port->subnet_prefix));
}

static ssize_t subnet_prefix_store(struct ib_device *ibdev, u32 number,
				   struct ib_port_attribute *attr,
				   const char *buf, size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	u64 prefix;

	if (!hca->ib || kstrtou64(buf, 0, &prefix))
		return -EINVAL;
	spin_lock(&hca->lock);
	hca_port(hca, number)->subnet_prefix = prefix;
	spin_unlock(&hca->lock);
	port_event(hca, number, IB_EVENT_GID_CHANGE);
	return count;
}

static IB_PORT_ATTR_RW(subnet_prefix);

static ssize_t pkeys_show(struct ib_device *ibdev, u32 number,
			  struct ib_port_attribute *attr, char *buf)
{
	struct hca_port *port = hca_port(to_hca(ibdev), number);
	ssize_t len = 0;
	int i;

	for (i = 0; i < HCA_PKEYS; i++)
		len += sysfs_emit_at(buf, len, "%d 0x%04x\n", i,
				     READ_ONCE(port->pkey[i]));
	return len;
}

static ssize_t pkeys_store(struct ib_device *ibdev, u32 number,
			   struct ib_port_attribute *attr, const char *buf,
			   size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	u32 index, pkey;
	char end;

	if (sscanf(buf, "%u %i %c", &index, &pkey, &end) != 2 ||
	    index >= HCA_PKEYS || pkey > U16_MAX)
		return -EINVAL;
	WRITE_ONCE(hca_port(hca, number)->pkey[index], pkey);
	port_event(hca, number, IB_EVENT_PKEY_CHANGE);
	return count;
}

static IB_PORT_ATTR_RW(pkeys);

static ssize_t mtu_show(struct ib_device *ibdev, u32 number,
			struct ib_port_attribute *attr, char *buf)
{
	enum ib_mtu mtu = READ_ONCE(hca_port(to_hca(ibdev), number)->mtu);

	return sysfs_emit(buf, "%d\n", ib_mtu_enum_to_int(mtu));
}

static ssize_t mtu_store(struct ib_device *ibdev, u32 number,
			 struct ib_port_attribute *attr, const char *buf,
			 size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	enum ib_mtu mtu;
	int bytes;

	if (kstrtoint(buf, 0, &bytes))
		return -EINVAL;
	mtu = ib_mtu_int_to_enum(bytes);
	if (ib_mtu_enum_to_int(mtu) != bytes)
		return -EINVAL;
	WRITE_ONCE(hca_port(hca, number)->mtu, mtu);
	port_event(hca, number, IB_EVENT_PORT_ACTIVE);
	return count;
}

static IB_PORT_ATTR_RW(mtu);

static ssize_t speed_show(struct ib_device *ibdev, u32 number,
			  struct ib_port_attribute *attr, char *buf)
{
	struct hca_port *port = hca_port(to_hca(ibdev), number);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if (speeds[i].speed == READ_ONCE(port->speed))
			return sysfs_emit(buf, "%s %d\n", speeds[i].name,
					  ib_width_enum_to_int(port->width));
	return -EINVAL;
}

static int width_find(int links)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++)
		if (ib_width_enum_to_int(widths[i]) == links)
			return widths[i];
	return -EINVAL;
}

static ssize_t speed_store(struct ib_device *ibdev, u32 number,
			   struct ib_port_attribute *attr, const char *buf,
			   size_t count)
{
	struct hca_device *hca = to_hca(ibdev);
	struct hca_port *port = hca_port(hca, number);
	int links, width;
	char name[8], end;
	size_t i;

	if (sscanf(buf, "%7s %d %c", name, &links, &end) != 2)
		return -EINVAL;
	width = width_find(links);
	for (i = 0; i < ARRAY_SIZE(speeds); i++)
		if (!strcmp(speeds[i].name, name))
			break;
	if (width < 0 || i == ARRAY_SIZE(speeds))
		return -EINVAL;
	spin_lock(&hca->lock);
	port->speed = speeds[i].speed;
	port->width = width;
	spin_unlock(&hca->lock);
	port_event(hca, number, IB_EVENT_PORT_ACTIVE);
	return count;
}

static IB_PORT_ATTR_RW(speed);

static struct attribute *port_attrs[] = {
	&ib_port_attr_state.attr,	  &ib_port_attr_lid.attr,
	&ib_port_attr_subnet_prefix.attr, &ib_port_attr_pkeys.attr,
	&ib_port_attr_mtu.attr,		  &ib_port_attr_speed.attr,
	&ib_port_attr_counters.attr,	  NULL,
};

static const struct attribute_group port_group = {
	.name = "hca",
	.attrs = port_attrs,
};

const struct attribute_group *hca_port_groups[] = {
	&port_group,
	NULL,
};
