//! The right to manage an app for longer than it takes to make a page: meanwhile the session may end, or the app be deleted.

use std::sync::Arc;
use std::time::Duration;

use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use hato_service::{Service, ServiceResult};
use tokio::time::Instant;

/// How long the right is taken for good before it is checked again.
const CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// The right of whoever is logged in to manage an app, while something goes on in its name.
pub struct LastingAccess {
    service: Arc<Service>,
    /// The token of the session.
    session: String,
    right: MayManage,
    checked_at: Instant,
}

impl LastingAccess {
    /// The checks of the app's pages, of a session's token: without one `UNAUTHORIZED`, with that of a dead session `INVALID_SESSION`,
    /// `INSUFFICIENT_SCOPE` while apps wait for their review, and `NOT_FOUND` for an app of another account.
    pub async fn check(
        service: &Arc<Service>,
        session: Option<String>,
        app: &str,
    ) -> ServiceResult<Self> {
        let session = session.ok_or(ErrorCode::Unauthorized)?;
        Ok(Self {
            right: right(service, &session, app).await?,
            service: Arc::clone(service),
            session,
            checked_at: Instant::now(),
        })
    }

    /// What they may do.
    pub fn right(&self) -> &MayManage {
        &self.right
    }

    /// The use cases that take the right.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// The same checks once more, unless they were made within the last 5 s.
    pub async fn check_if_due(&mut self) -> ServiceResult<()> {
        if self.checked_at.elapsed() >= CHECK_INTERVAL {
            let app = self.right.app().as_str();
            let checked = right(&self.service, &self.session, app).await?;
            self.right = checked;
            self.checked_at = Instant::now();
        }
        Ok(())
    }
}

async fn right(service: &Service, session: &str, app: &str) -> ServiceResult<MayManage> {
    let owner = service.authenticate_session(session).await?.owner;
    owner.require_reviewed()?;
    service.manage(&owner, app).await
}
