/* SPDX-License-Identifier: GPL-2.0 */
/*
 * scaleFabric - a driver's QP operations, wrapped
 *
 * In mode balance a device's modify, query and destroy operations pass through
 * here, so that a QP's owner and a move of that QP do not cross each other.
 */
#ifndef _SF_WRAP_H
#define _SF_WRAP_H

struct sf_device;

/**
 * sf_wrap_install - put ourselves before a driver's operations
 * @sdev: not wrapped; its mode_sem held for writing
 *
 * Takes a reference to this module.
 */
int __must_check sf_wrap_install(struct sf_device *sdev);

/**
 * sf_wrap_remove - give a driver's operations back
 * @sdev: wrapped; its mode_sem held for writing
 *
 * On return no task runs in a wrapper of this device. May take a second.
 *
 * Return: 0, or -EBUSY when another module has wrapped the operations after
 * us; nothing is changed then.
 */
int __must_check sf_wrap_remove(struct sf_device *sdev);

/**
 * sf_wrap_abandon - leave a device that goes away and whose operations cannot
 *	be put back, as another module is on top of us
 *
 * The wrappers stay, and with them this module, until the next boot.
 */
void sf_wrap_abandon(struct sf_device *sdev);

#endif /* _SF_WRAP_H */
