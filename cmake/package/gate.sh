#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a gate on the device that CTest gave it (RESOURCE_GROUPS gpus:N), else on all. usage: gate.sh COMMAND...
devices=
group=0
while [ "$group" -lt "${CTEST_RESOURCE_GROUP_COUNT:-0}" ]; do
    eval "given=\${CTEST_RESOURCE_GROUP_${group}_GPUS:-}" # id:0,slots:1;id:1,slots:1
    old_ifs=$IFS
    IFS=';'
    for one in $given; do
        id=${one#id:}
        devices=${devices:+$devices,}${id%%,*}
    done
    IFS=$old_ifs
    group=$((group + 1))
done
if [ -n "$devices" ]; then
    CUDA_VISIBLE_DEVICES=$devices
    export CUDA_VISIBLE_DEVICES
fi
exec "$@"
