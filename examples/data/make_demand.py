#!/usr/bin/env python3
"""Writes demand.csv: 1,600 hours of an invented town's demand for electricity, in megawatts.

A level that wanders slowly, a daily curve with a morning and an evening peak that is flatter at weekends, and noise
that lasts some hours (an autoregression of factor 0.8). Run it again to get the same bytes.
"""
import math
import pathlib
import random

random.seed(11)
rows = ["hour,demand"]
level, lasting = 0.0, 0.0
for hour in range(1600):
    day, time = divmod(hour, 24)
    workday = day % 7 < 5
    level = 0.998 * level + random.gauss(0, 0.25)
    lasting = 0.8 * lasting + random.gauss(0, 0.9)
    morning = math.exp(-(((time - 8) / 2.2) ** 2)) * (9 if workday else 3)
    evening = math.exp(-(((time - 19) / 3.0) ** 2)) * 11
    night = -6 * math.exp(-(((time - 3) / 3.5) ** 2))
    demand = 52 + (4 if workday else 0) + level + lasting + morning + evening + night
    rows.append(f"{hour},{demand:.2f}")
pathlib.Path(__file__).with_name("demand.csv").write_text("\n".join(rows) + "\n")
