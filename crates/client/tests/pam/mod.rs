//! A service of PAM that knows one password, for as long as a test takes. PAM looks for services in /etc/pam.d alone.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process;

/// The service; dropping it removes its files.
pub(crate) struct Service {
    /// The name for `IDENTIFIED VIA pam USING`.
    pub(crate) name: String,
    file: PathBuf,
    /// A folder for whatever goes with it.
    pub(crate) folder: PathBuf,
}

impl Service {
    /// A service that takes this password of anybody.
    pub(crate) fn new(password: &str) -> Self {
        let name = format!("vaquita-test-{}", process::id());
        let file = Path::new("/etc/pam.d").join(&name);
        let folder = std::env::temp_dir().join(&name);
        let service = Service { name, file, folder };
        fs::create_dir(&service.folder).unwrap();
        // The server runs as another user, and so does what it runs.
        fs::set_permissions(&service.folder, Permissions::from_mode(0o755)).unwrap();
        let check = service.folder.join("check");
        fs::write(&check, format!("#!/bin/sh\nread -r line\n[ \"$line\" = '{password}' ]\n"))
            .unwrap();
        fs::set_permissions(&check, Permissions::from_mode(0o755)).unwrap();
        let lines = format!(
            "auth requisite pam_exec.so expose_authtok quiet {}\naccount required pam_permit.so\n",
            check.display()
        );
        fs::write(&service.file, lines).unwrap_or_else(|error| {
            panic!("{}: {error}; this test has to be run as root", service.file.display())
        });
        service
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        let _ = fs::remove_dir_all(&self.folder);
    }
}
