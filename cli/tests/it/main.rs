//! The binary against the miniature upstreams.

mod defaults;
