//! A fleet: several processes over one PostgreSQL, some of which are killed, halted or cut off (CONTRACT 17).

mod acceptor;
mod claims;
mod connections;
mod cut_off;
mod database_proxy;
mod failover;
mod fates;
mod fixtures;
mod full_disk;
mod kills;
mod leases;
mod limits;
mod outages;
mod outcome;
mod pace;
mod pooler;
mod sharing;
mod subscribers;
mod throttling;
mod traffic;
mod under_way;
