//! What an engine has in work at a moment, for those who watch it.
//!
//! Strangers' endpoints name the origins, so those with the most requests have names, as many as hosts have, and the rest are one.

use std::cmp::Reverse;

use crate::metrics::{MAX_NAMED, OTHERS, OutcomeCounts};

/// An engine at a moment.
#[derive(Debug)]
pub struct EngineSnapshot {
    /// Pages that this process holds a lease of.
    pub leased_pages: usize,
    /// How many connections to push services may be open.
    pub max_connections: usize,
    /// What is at each origin.
    pub origins: Vec<OriginSnapshot>,
    /// What became of deliveries since the engine began, by the host of the push service.
    pub deliveries: Vec<(String, OutcomeCounts)>,
}

/// What is in work at an origin, or at several together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OriginSnapshot {
    /// `https://` and the host, and its port if it is not 443; `other` for several.
    pub name: String,
    /// Connections that are open.
    pub connections: usize,
    /// Requests that want a connection or have one.
    pub requests: usize,
    /// How many requests the limiters of all apps permit.
    pub limit: usize,
    /// Requests that wait for a limiter's permit.
    pub waiting: usize,
    /// Apps whose limiter leaves the origin alone for now, as the push service asked for or because it answers nobody.
    pub paused_apps: usize,
}

/// The busiest ones, and all others together.
pub fn busiest(mut origins: Vec<OriginSnapshot>) -> Vec<OriginSnapshot> {
    origins.sort_by(|a, b| a.rank().cmp(&b.rank()));
    let others = origins.split_off(origins.len().min(MAX_NAMED));
    if others.is_empty() {
        return origins;
    }
    let none = OriginSnapshot {
        name: OTHERS.to_owned(),
        ..OriginSnapshot::default()
    };
    origins.push(others.iter().fold(none, OriginSnapshot::with));
    origins
}

impl OriginSnapshot {
    fn rank(&self) -> (Reverse<(usize, usize, usize)>, &str) {
        let busy = (self.requests, self.connections, self.limit);
        (Reverse(busy), &self.name)
    }

    fn with(self, other: &Self) -> Self {
        Self {
            name: self.name,
            connections: self.connections + other.connections,
            requests: self.requests + other.requests,
            limit: self.limit + other.limit,
            waiting: self.waiting + other.waiting,
            paused_apps: self.paused_apps + other.paused_apps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAMED, OriginSnapshot, busiest};

    fn origin(number: usize) -> OriginSnapshot {
        OriginSnapshot {
            name: format!("https://{number}.example"),
            connections: 1,
            requests: number,
            limit: 16,
            waiting: 2,
            paused_apps: 1,
        }
    }

    #[test]
    fn the_busiest_have_names_and_the_rest_are_one() {
        let few: Vec<_> = (0..3).map(origin).collect();
        let names: Vec<_> = busiest(few).into_iter().map(|it| it.name).collect();
        assert_eq!(names, [2, 1, 0].map(|it| format!("https://{it}.example")));

        let mut many = busiest((0..MAX_NAMED + 3).map(origin).collect());
        let others = OriginSnapshot {
            name: "other".to_owned(),
            connections: 3,
            requests: 3,
            limit: 48,
            waiting: 6,
            paused_apps: 3,
        };
        assert_eq!(many.pop(), Some(others));
        assert_eq!(many.len(), MAX_NAMED);
    }
}
