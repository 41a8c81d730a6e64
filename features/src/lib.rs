//! Nothing but dependencies: the features with which every front builds what core stands on, so that core is built once for all of them
//! and not anew for each.
