// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/frames.h"

trmi_m3 trmi_frame_of(trmi_v3 x, trmi_v3 y, trmi_v3 z)
{
    return trmi_m3_transpose((trmi_m3){{x, y, z}});
}

// e = global axis with the smallest |z_i|, x along e - (e.z) z, y = z x x
trmi_m3 trmi_frame_about(trmi_v3 z)
{
    int least = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(trmi_component(z, k)) < fabs(trmi_component(z, least)))
            least = k;
    trmi_v3 x = trmi_v3_axpy(trmi_m3_unit().row[least], -trmi_component(z, least), z);
    x = trmi_v3_scale(1 / trmi_v3_length(x), x);
    return trmi_frame_of(x, trmi_v3_cross(z, x), z);
}

void trmi_plane_axes(trmi_plane plane, int axis[3])
{
    static const int first[] = {
        [TRMI_SPATIAL] = 0, [TRMI_PLANE_XY] = 0, [TRMI_PLANE_YZ] = 1, [TRMI_PLANE_ZX] = 2};
    for (int k = 0; k < 3; k++)
        axis[k] = (first[plane] + k) % 3;
}

trmi_m3 trmi_plane_frame(trmi_plane plane)
{
    const trmi_m3 unit = trmi_m3_unit();
    int axis[3];
    trmi_plane_axes(plane, axis);
    return trmi_frame_of(unit.row[axis[0]], unit.row[axis[1]], unit.row[axis[2]]);
}

trmi_v3 trmi_plane_normal(trmi_plane plane)
{
    return trmi_m3_column(trmi_plane_frame(plane), 2);
}
