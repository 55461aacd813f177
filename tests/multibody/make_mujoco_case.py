#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write mujoco_case.h: one model with every kind of joint and what MuJoCo computes for it at three random states.

Usage: pip install mujoco==4.0.0 numpy; python3 make_mujoco_case.py > mujoco_case.h
"""
import mujoco
import numpy as np

MJCF = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0.4 -0.3 -9.6"/>
  <worldbody>
    <body pos="1 2 3" quat="0.5 0.1 -0.7 0.3">
      <freejoint/>
      <inertial pos="0.1 -0.2 0.05" quat="0.8 0.1 0.3 -0.2" mass="2.5" diaginertia="0.11 0.09 0.05"/>
      <body pos="0.3 0.1 -0.2" quat="0.9 -0.2 0.1 0.3">
        <joint type="hinge" axis="0.2 0.9 0.1" pos="0.05 -0.1 0.02" ref="0.4" armature="0.02"/>
        <joint type="slide" axis="0.7 0.1 -0.6" pos="0.3 0.2 0.1" armature="0.3"/>
        <joint type="hinge" axis="-0.5 0.1 0.8" pos="-0.05 0.04 0.1"/>
        <inertial pos="0.02 0.1 -0.03" quat="0.4 0.6 0.1 0.7" mass="1.2" diaginertia="0.03 0.02 0.04"/>
        <body pos="-0.1 0.25 0.3" quat="0.3 0.3 0.9 0.1">
          <joint type="ball" pos="0.02 -0.03 0.07" armature="0.01"/>
          <inertial pos="0.03 -0.02 0.15" mass="0.7" diaginertia="0.01 0.008 0.005"/>
        </body>
      </body>
      <body pos="-0.2 0.3 0.1" quat="0.1 0.2 0.3 0.9">
        <inertial pos="0.05 0 0.02" quat="0.9 0.1 0.1 0.2" mass="0.4" diaginertia="0.002 0.003 0.004"/>
        <body pos="0.1 -0.1 0.2">
          <joint type="slide" axis="0.1 0.8 0.5" ref="-0.3"/>
          <inertial pos="0.01 0.02 0.04" mass="0.3" diaginertia="0.001 0.003 0.0025"/>
        </body>
      </body>
    </body>
    <body pos="-1 0.5 0.2" quat="0.7 0.2 0.6 0.1">
      <inertial pos="0 0 0.1" mass="3" diaginertia="0.1 0.1 0.1"/>
      <body pos="0.2 0.1 0.4" quat="0.6 0.6 0.1 -0.4">
        <joint type="slide" axis="1 0.3 0.2"/>
        <joint type="ball" pos="0.1 0.05 -0.02"/>
        <inertial pos="-0.02 0.03 0.2" quat="0.5 0.5 -0.2 0.1" mass="1.7" diaginertia="0.05 0.03 0.06"/>
        <body pos="0 0.1 0.5" quat="0.2 0.9 0.1 0.1">
          <joint type="hinge" axis="0 0.6 0.8" pos="0 0 -0.1" armature="0.05"/>
          <inertial pos="0.1 0.1 -0.2" mass="0.9" diaginertia="0.02 0.02 0.01"/>
        </body>
      </body>
    </body>
    <body pos="4 5 6">
      <freejoint/>
      <inertial pos="-0.1 0.05 0.2" quat="0.3 -0.8 0.2 0.4" mass="1.5" diaginertia="0.06 0.1 0.14"/>
      <body pos="0.2 0.3 0.1" quat="0.5 0.5 0.6 0.1">
        <inertial pos="0.05 -0.05 0.1" quat="0.7 0.1 0.6 0.3" mass="0.8" diaginertia="0.01 0.02 0.025"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
STATES = 3


def emit(kind, name, values):
    values = np.asarray(values).ravel()
    text = [repr(float(x)) if kind == "double" else str(int(x)) for x in values]
    print(f"static const {kind} {name}[{len(text)}] = {{")
    per_line = 4 if kind == "double" else 16
    for i in range(0, len(text), per_line):
        print("    " + ", ".join(text[i : i + per_line]) + ",")
    print("};")


m = mujoco.MjModel.from_xml_string(MJCF)
d = mujoco.MjData(m)
rng = np.random.default_rng(1)
out = {k: [] for k in "q v q1 M bias xpos xmat xipos energy".split()}
for _ in range(STATES):
    q = m.qpos0.copy()
    mujoco.mj_integratePos(m, q, rng.normal(size=m.nv), 1.0)
    v = rng.normal(size=m.nv)
    d.qpos, d.qvel = q, v
    mujoco.mj_forward(m, d)
    M = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, M)
    q1 = q.copy()
    mujoco.mj_integratePos(m, q1, v, 0.3)
    mujoco.mj_energyVel(m, d)
    for key, value in zip(out, (q, v, q1, M, d.qfrc_bias, d.xpos, d.xmat, d.xipos, d.energy[1:2])):
        out[key].append(np.array(value).ravel())

print("// SPDX-License-Identifier: MIT")
print(f"// Written by make_mujoco_case.py with MuJoCo {mujoco.__version__}; not to be edited.")
print("// clang-format off")
print("#pragma once\n")
print(f"enum {{ MJ_STATES = {STATES}, MJ_NQ = {m.nq}, MJ_NV = {m.nv}, MJ_NBODY = {m.nbody}, MJ_NJNT = {m.njnt} }};")
emit("double", "mj_gravity", m.opt.gravity)
emit("int32_t", "mj_parent", m.body_parentid)
for name in ("pos", "quat", "ipos", "iquat", "mass", "inertia"):
    emit("double", "mj_" + name, getattr(m, "body_" + name))
emit("int32_t", "mj_jnt_type", m.jnt_type)
emit("int32_t", "mj_jnt_body", m.jnt_bodyid)
emit("double", "mj_jnt_pos", m.jnt_pos)
emit("double", "mj_jnt_axis", m.jnt_axis)
emit("double", "mj_jnt_armature", [m.dof_armature[i] for i in m.jnt_dofadr])
emit("double", "mj_jnt_qpos0", [m.qpos0[i] for i in m.jnt_qposadr])
for key, values in out.items():
    emit("double", "mj_" + key, values)
