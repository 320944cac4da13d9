// SPDX-License-Identifier: Apache-2.0
// Simbody: pins as joint coordinates, loops closed by points on lines normal to the plane.
#include "contender.h"

#include <Simbody.h>

#include <cmath>
#include <exception>
#include <vector>

using namespace SimTK;

namespace {

struct model {
    MultibodySystem system;
    SimbodyMatterSubsystem matter{system};
    GeneralForceSubsystem forces{system};
    Force::UniformGravity gravity{forces, matter, Vec3(0, -9.81, 0)};
    Body::Rigid rod{MassProperties(1, Vec3(0), Inertia(0, 1.0 / 12, 1.0 / 12))};
    std::vector<MobilizedBody::Pin> pin;

    void add(MobilizedBody &parent, const Vec3 &at)
    {
        pin.emplace_back(parent, Transform(at), rod, Transform(Vec3(-0.5, 0, 0)));
    }
};

void build_chain(model &m, int links)
{
    for (int i = 0; i < links; i++)
        if (i == 0)
            m.add(m.matter.Ground(), Vec3(0));
        else
            m.add(m.pin[i - 1], Vec3(0.5, 0, 0));
}

void build_four_bar(model &m, int loops)
{
    const Vec3 tip(0.5, 0, 0);
    for (int i = 0; i <= loops; i++)
        m.add(m.matter.Ground(), Vec3(i, 0, 0));
    for (int i = 0; i < loops; i++) {
        m.add(m.pin[i], tip);
        Constraint::PointOnLine(m.pin[i + 1], UnitVec3(0, 0, 1), tip, m.pin[loops + 1 + i], tip);
    }
}

void start_four_bar(model &m, int loops, State &state)
{
    for (int i = 0; i <= 2 * loops; i++) {
        bool crank = i <= loops;
        m.pin[i].setAngle(state, crank ? Pi / 2 : -Pi / 2);
        m.pin[i].setRate(state, crank ? -1 : 1);
    }
}

void read_places(const contest *c, const model &m, const State &state, double *q)
{
    double angle = 0;
    for (int i = 0; i < c->bodies; i++, q += 3) {
        const Vec3 p = m.pin[i].getBodyOriginLocation(state);
        angle = c->four_bar ? 0 : angle;
        angle += m.pin[i].getAngle(state);
        if (c->four_bar && i > c->size) // a coupler turns with its crank
            angle += m.pin[i - c->size - 1].getAngle(state);
        q[0] = p[0];
        q[1] = p[1];
        q[2] = angle;
    }
}

/// Integrates with Runge-Kutta-Merson, or with CPodes: BDF and Newton with projection.
template <class Method> double contend(const contest *c, peer_run *run)
{
    try {
        model m;
        m.pin.reserve(static_cast<size_t>(c->bodies));
        if (c->four_bar)
            build_four_bar(m, c->size);
        else
            build_chain(m, c->size);
        State state = m.system.realizeTopology();
        if (c->four_bar)
            start_four_bar(m, c->size, state);
        double begin = peer_cpu_seconds();
        Method integrator(m.system);
        integrator.setAccuracy(c->accuracy);
        TimeStepper stepper(m.system, integrator);
        stepper.initialize(state);
        stepper.stepTo(c->t_end);
        double seconds = peer_cpu_seconds() - begin;
        const State &end = stepper.getState();
        m.system.realize(end, Stage::Position);
        read_places(c, m, end, run->q);
        run->steps = integrator.getNumStepsTaken();
        return seconds;
    } catch (const std::exception &) {
        peer_run_fail(run, "exception");
        return NAN;
    }
}

} // namespace

extern "C" double contend_simbody(const contest *c, peer_run *run)
{
    return contend<RungeKuttaMersonIntegrator>(c, run);
}

extern "C" double contend_cpodes(const contest *c, peer_run *run)
{
    return contend<CPodesIntegrator>(c, run);
}
