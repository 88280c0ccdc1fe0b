//! The commands of operators, on the database itself: running servers go by what they change with the next request
//! (CONTRACT 1).

mod command;
mod error;
mod password;
mod peppers;
mod table;

use std::io::{self, Write as _};
use std::sync::Arc;

use hato_domain::{Email, ErrorCode, OutboundPolicy, Plan, PushHosts};
use hato_service::access::Operator;
use hato_service::ports::{PepperId, Store, SystemClock};
use hato_service::{AppLimits, Notifier, Secrets, Service, ServiceError, ServiceSettings};

pub use command::{AdminArgs, AdminConfig};
pub use error::AdminError;

use self::command::AdminTask;
use crate::{database, secrets_file};

/// Does what was asked, and says so on standard output.
pub async fn run(config: AdminConfig) -> Result<(), AdminError> {
    let secrets = match &config.secrets {
        Some(configured) => secrets_file::read(&config.store.data_dir, configured)?,
        None => Secrets::default(),
    };
    let previous = secrets.previous_pepper_id();
    let store = database::open(&config.store).await?;
    let service = service_for(Arc::clone(&store), secrets, config.default_plan);
    let result = perform(&service, config.task, previous).await;
    store.close().await;
    write(&result?)
}

async fn perform(
    service: &Service,
    task: AdminTask,
    previous: Option<PepperId>,
) -> Result<String, AdminError> {
    let operator = Operator::local();
    match task {
        AdminTask::SetPlan(email, plan) => {
            let set = service.set_plan(&operator, &email, plan).await;
            set.map_err(|error| refused(&error, &email))?;
            let (email, plan) = (email.as_str(), plan.as_str());
            Ok(format!("{email} has the plan {plan}\n"))
        }
        AdminTask::SetPassword(email, password) => {
            let set = service.set_password(&operator, &email, password).await;
            set.map_err(|error| refused(&error, &email))?;
            let email = email.as_str();
            Ok(format!("{email} has a new password and no sessions\n"))
        }
        AdminTask::MakeOperator(email, is_operator) => {
            make_operator(service, &operator, &email, is_operator).await
        }
        AdminTask::CreateAccount(email, password) => {
            let made = service.create_account(&operator, email.clone(), password);
            let account = made.await.map_err(|error| refused(&error, &email))?;
            let (email, id) = (email.as_str(), account.id);
            Ok(format!("{email} has the account {id}\n"))
        }
        AdminTask::Peppers => list_peppers(service, &operator, previous).await,
        AdminTask::ListAccounts => {
            let accounts = service.accounts(&operator).await;
            Ok(table::render(&accounts.map_err(|error| failed(&error))?))
        }
    }
}

async fn make_operator(
    service: &Service,
    operator: &Operator,
    email: &Email,
    is_operator: bool,
) -> Result<String, AdminError> {
    let made = service.set_operator(operator, email, is_operator).await;
    made.map_err(|error| refused(&error, email))?;
    let verb = if is_operator { "has" } else { "has no more" };
    let email = email.as_str();
    Ok(format!("{email} {verb} the page of accounts, /operator\n"))
}

async fn list_peppers(
    service: &Service,
    operator: &Operator,
    previous: Option<PepperId>,
) -> Result<String, AdminError> {
    let keys = service.keys_without_pepper(operator).await;
    let keys = keys.map_err(|error| failed(&error))?;
    Ok(peppers::report(&keys, previous))
}

/// The use cases as far as operators need them.
pub fn service(store: Arc<dyn Store>, secrets: Secrets) -> Service {
    service_for(store, secrets, Plan::Free)
}

/// The same where accounts are made, which get this plan.
fn service_for(store: Arc<dyn Store>, secrets: Secrets, default_plan: Plan) -> Service {
    let settings = ServiceSettings {
        vapid_subject: String::new(),
        default_plan,
        registration_open: false,
        outbound: OutboundPolicy::default(),
        push_hosts: PushHosts::default(),
        app_limits: AppLimits::default(),
    };
    let clock = Arc::new(SystemClock);
    Service::new(store, clock, secrets, settings, Notifier::default())
}

fn refused(error: &ServiceError, email: &Email) -> AdminError {
    match error.code() {
        ErrorCode::NotFound => AdminError::Unknown(email.as_str().to_owned()),
        ErrorCode::EmailInUse => AdminError::Taken(email.as_str().to_owned()),
        _ => failed(error),
    }
}

fn failed(error: &ServiceError) -> AdminError {
    AdminError::Failed(cause(error))
}

/// What the log would say of it: an operator may know.
pub fn cause(error: &ServiceError) -> String {
    let cause = error.cause().map(ToString::to_string);
    cause.unwrap_or_else(|| error.to_string())
}

/// Who stops reading has read enough.
fn write(text: &str) -> Result<(), AdminError> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(AdminError::Output(error)),
        _ => Ok(()),
    }
}
