//! Accounts.

use hato_domain::{Email, Plan};

use crate::world::{START, World};

#[tokio::test]
async fn an_account_is_found_whatever_the_case_of_its_address() {
    let world = World::new().await;
    let account = world.new_account("Hato@Example.com", Plan::Pro);
    let id = account.id.clone();
    assert!(world.store.create_account(account).await.expect("stored"));
    let asked = Email::parse("hATO@example.COM").expect("an address");
    let found = world
        .store
        .account_by_email(&asked)
        .await
        .expect("read")
        .expect("the account");
    assert_eq!((found.id, found.email.as_str()), (id, "Hato@Example.com"));
    assert_eq!((found.plan, found.created_at), (Plan::Pro, START));
    assert_eq!(found.password_hash.as_deref(), Some("$argon2id$"));
}

#[tokio::test]
async fn an_address_is_taken_once_whatever_its_case() {
    let world = World::new().await;
    let make = |email| {
        world
            .store
            .create_account(world.new_account(email, Plan::Free))
    };
    assert!(make("a@example.com").await.expect("stored"));
    assert!(!make("A@EXAMPLE.com").await.expect("refused"));
    assert!(make("b@example.com").await.expect("stored"));
}

#[tokio::test]
async fn an_unknown_address_is_no_account() {
    let world = World::new().await;
    let nobody = Email::parse("nobody@example.com").expect("an address");
    assert!(
        world
            .store
            .account_by_email(&nobody)
            .await
            .expect("read")
            .is_none()
    );
}
