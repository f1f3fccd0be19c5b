"""The engine `cpu`: baselines that really run on this computer's cores; times are measured."""
