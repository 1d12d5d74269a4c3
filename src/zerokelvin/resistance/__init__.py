"""The resistive network: effective resistances, potentials, voltages, nodes as points."""
