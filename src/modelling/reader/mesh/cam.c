// SPDX-License-Identifier: Apache-2.0
// The outline of a cam as a mesh: a disc about z with the radius r + lift(phi), phi from x towards
// y.
#include "modelling/reader/mesh/mesh.h"

#include <math.h>

enum { OUTLINE = 180 }; // points

// point k of the outline at one of the faces; after the last the middle
static int corner_at(int face, int k)
{
    return face * (OUTLINE + 1) + k;
}

static void fill_points(const trmi_interpolant *lift, double radius, double width, trmi_mesh *mesh,
                        trmi_v3 *point)
{
    const double turn = 2 * acos(-1) / OUTLINE;
    double reach = 0;
    for (int face = 0; face < 2; face++) {
        double z = (face - 0.5) * width;
        for (int k = 0; k < OUTLINE; k++) {
            double r = radius + trmi_interpolant_at(lift, TRMI_INTERPOLANT_VALUE, k * turn);
            point[corner_at(face, k)] = (trmi_v3){r * cos(k * turn), r * sin(k * turn), z};
            reach = fmax(reach, fabs(r));
        }
        point[corner_at(face, OUTLINE)] = (trmi_v3){0, 0, z};
    }
    mesh->low = (trmi_v3){-reach, -reach, -width / 2};
    mesh->high = (trmi_v3){reach, reach, width / 2};
}

// two fans, and two triangles between neighbours of the outline
static void fill_corners(int *corner)
{
    for (int k = 0; k < OUTLINE; k++) {
        int next = (k + 1) % OUTLINE;
        int low = corner_at(0, k), low_next = corner_at(0, next);
        int high = corner_at(1, k), high_next = corner_at(1, next);
        const int triangles[12] = {corner_at(0, OUTLINE),
                                   low_next,
                                   low, // below
                                   corner_at(1, OUTLINE),
                                   high,
                                   high_next, // above
                                   low,
                                   low_next,
                                   high_next, // around
                                   low,
                                   high_next,
                                   high};
        for (int i = 0; i < 12; i++)
            corner[12 * k + i] = triangles[i];
    }
}

bool trmi_mesh_cam(trmi_memory *memory, const trmi_interpolant *lift, double radius, double width,
                   trmi_mesh *mesh)
{
    trmi_v3 *point;
    int *corner;
    if (!TRMI_TAKE(memory, point, 2 * (OUTLINE + 1)) || !TRMI_TAKE(memory, corner, 12 * OUTLINE))
        return false;
    fill_points(lift, radius, width, mesh, point);
    fill_corners(corner);
    mesh->points = 2 * (OUTLINE + 1);
    mesh->triangles = 4 * OUTLINE;
    mesh->point = point;
    mesh->corner = corner;
    return true;
}
