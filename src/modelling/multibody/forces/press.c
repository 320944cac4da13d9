// SPDX-License-Identifier: Apache-2.0
#include "modelling/multibody/forces/press.h"

trmi_press trmi_press_on(const trmi_press_law *law, double d, double rate, bool open)
{
    const double e = 0.01, n = law->exponent, c = law->damping;
    trmi_press out = {0};
    if (d <= 0 || open)
        return out;
    double h = 1 + c * rate, power = law->stiffness * pow(d, n - 1), near = fmax(h + e, 0);
    double plus = h < e ? near * near / (4 * e) : h, slope = c * (h < e ? near / (2 * e) : 1);
    out.N = power * d * plus;
    out.N_d = n * power * plus;
    out.N_v = power * d * slope;
    out.potential = power * d * d / (n + 1);
    out.lost = (out.N - power * d) * rate;
    return out;
}

bool trmi_finish_press(trmi_finish *finish, const trmi_force *force, const trmi_press_law *law)
{
    if (law->stiffness == 0)
        return trmi_finish_key_error(finish, NULL, "'%.60s' needs a 'stiffness'", force->name);
    return law->exponent > 1 ||
           trmi_finish_error(finish, "exponent",
                             "'exponent' must be above 1, so that the force begins smoothly");
}
