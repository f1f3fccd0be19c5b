"""Whether distances are right: two independent proofs, and distances of others to be checked."""
