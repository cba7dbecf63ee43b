// The precompiled torch header needs one source to belong to.
