#!/usr/bin/env bash
# Absurd numbers at every numeric key: a clear message, or a run that works. Never a crash, a run
# without end, or NaN in a message.
. "$(dirname "$0")/lib.sh"
cat >machine.yaml <<'END'
trammel: 1
mechanism:
  gravity: [0, -9.81, 0]
  bodies:
    crank: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
    rod: {mass: 2, center: [1.5, 0, 0], inertia: [0.01, 0.2, 0.2]}
    ball: {mass: 1, center: [3, 1, 0], inertia: [0.01, 0.01, 0.01]}
  joints:
    pin: {revolute: {between: [ground, crank], at: [0, 0, 0], axis: z}, start: {angle: 0.3, rate: 0.2},
          friction: {static: 0.1, slip: 0.01, radius: 0.01, preload: 1}}
    knee: {revolute: {between: [crank, rod], at: [1, 0, 0], axis: z},
           stops: {angle: {low: -3, high: 3, stiffness: 10, damping: 0.1}}}
    fly: {free: {between: [ground, ball], at: [3, 1, 0]}}
  forces:
    string: {spring: {between: [ground, rod], from: [2, 1, 0], to: [2, 0, 0], stiffness: 10, damping: 0.1, length: 1}}
    floor: {contact: {between: [ground, ball], at: [0, 0, 0], normal: y, center: [3, 1, 0], radius: 0.1,
                      stiffness: 1e4, damping: 0.01, friction: 0.2}}
    motor: {actuator: {joint: pin, effort: 1, stiffness: 1, natural: 0}}
    rubber: {bushing: {between: [ground, ball], at: [3, 1, 0], stiffness: 10, rotation_stiffness: 1}}
    wind: {force: {on: ball, at: [3, 1, 0], value: [1, 0, 0]}}
simulate: {start: 0, end: 0.02, tolerance: 1e-4, output_interval: 0.01, max_steps: 2000}
END
cat >beam.yaml <<'END'
trammel: 1
mechanism:
  plane: xy
  bodies: {bar: {beam: {from: [0, 0], to: [1, 0], modulus: 1e9, area: 1e-4, inertia: 1e-9, density: 1000}}}
  joints: {pin: {revolute: {between: [ground, bar_1], at: [0, 0]}}}
simulate: {end: 0.001, tolerance: 1e-3, max_steps: 2000}
END
good_model >equations.yaml

# try MODEL KEY...: every absurd value of every key
try() {
    local model=$1 key value command code
    shift
    for key in "$@"; do
        for value in 0 -1 1e-300 1e150 1e300 nan inf; do
            for command in "check -q" "run -q --no-hdf5"; do
                code=0
                [ "$value$command" = "nancheck -q" ] || [ "$value$command" = "infcheck -q" ] && continue # alike
                # 20 s of the processor: a run without end fails, one that waits for a loaded machine does not
                (ulimit -t 20 && exec "$trammel" $command "$model" --set "$key=$value" >out 2>err) || code=$?
                [ "$code" -le 6 ] || fail "exit code $code: $command $model --set $key=$value"
                [ "$code" = 0 ] || [ -s err ] || fail "no message: $command $model --set $key=$value"
                if [ "$value" != nan ] && [ "$value" != inf ] && grep -qiwE -- "-?nan|-?inf" err; then
                    fail "NaN in a message: $command $model --set $key=$value"
                    head -5 err
                fi
            done
        done
    done
}

joints=mechanism.joints forces=mechanism.forces
try machine.yaml mechanism.gravity.1 mechanism.bodies.rod.{mass,center.0,inertia.2} $joints.pin.revolute.at.1 \
    $joints.pin.start.{angle,rate} $joints.pin.friction.{static,slip,radius,preload} \
    $joints.knee.stops.angle.{low,high,stiffness,damping} $forces.string.spring.{from.0,stiffness,damping,length} \
    $forces.floor.contact.{at.1,radius,stiffness,damping,friction} $forces.motor.actuator.{effort,stiffness,natural} \
    $forces.rubber.bushing.{at.0,stiffness,rotation_stiffness} $forces.wind.force.value.0 \
    simulate.{start,end,tolerance,output_interval,max_output,max_steps,step.initial,step.min,step.max,step.fixed}
try beam.yaml mechanism.bodies.bar.beam.{to.0,elements,modulus,area,inertia,density}
try equations.yaml equations.{mass.0,force.0} initial.values.{x,vy} simulate.{start,end,output_times.0}

# by item and place
expect 3 "$trammel" run machine.yaml --set simulate.end=1e300
says err "--set simulate.end=1e300:1:1: error: 'end' is 1e+300, beyond 1e+50"
sed -i 's/stiffness: 10, damping: 0.1, length/stiffness: 1e308, damping: 0.1, length/' machine.yaml
expect 3 "$trammel" run machine.yaml
says err "machine.yaml:15:90: error: 'stiffness' is 1e+308, beyond 1e+50: no computation has digits for that"
sed -i 's/crank: {mass: 1,/crank: {mass: 1e-300,/; s/1e308/10/' machine.yaml
expect 3 "$trammel" check machine.yaml
says err "machine.yaml:5:19: error: 'mass' is 1e-300, closer to 0 than 1e-100: if nothing is meant, write 0"
# formulas of parameters, too
expect 3 "$trammel" check equations.yaml --set 'initial.values.x="1e30*1e30"'
says err "this number is 1e+60, beyond 1e+50"
finish
