//! What this machine has no more of.

use std::io;

use rustix::io::Errno;

/// Whether the machine has no more of what a socket takes: file descriptors of the process or of all, memory.
pub fn is_exhaustion(error: &io::Error) -> bool {
    let exhausted = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    exhausted
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::is_exhaustion;

    #[test]
    fn only_what_a_socket_takes_can_be_exhausted() {
        assert!(is_exhaustion(&io::Error::from_raw_os_error(24)), "EMFILE");
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        assert!(!is_exhaustion(&refused));
    }
}
