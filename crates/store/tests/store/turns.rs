//! Claims that pass over apps whose turn it is not.

use hato_service::ports::NextPage;

use crate::world::{START, World, at};

#[tokio::test]
async fn pages_of_apps_that_are_passed_over_are_left_to_a_later_claim() {
    let world = World::new().await;
    let (first, second) = (world.app().await, world.app().await);
    for app in [&first, &second] {
        world.subscribe(app, 1).await;
    }
    world.broadcast(&first, START).await;
    world.broadcast(&second, at(1)).await;
    let NextPage::Claimed(page) = world
        .next_page(at(1), 10, std::slice::from_ref(&first))
        .await
    else {
        panic!("a page is due")
    };
    assert_eq!(page.app_id, second);
    assert_eq!(world.claim(at(1), 10).await.app_id, first);
}

#[tokio::test]
async fn what_is_passed_over_is_not_told_as_the_next_to_be_due() {
    let world = World::new().await;
    let (first, second) = (world.app().await, world.app().await);
    for app in [&first, &second] {
        world.subscribe(app, 1).await;
    }
    world.broadcast(&first, START).await;
    world.broadcast(&second, at(500)).await;
    for (passed_over, expected) in [
        (vec![first.clone()], Some(at(500))),
        (vec![first, second], None),
    ] {
        let NextPage::Idle { next_due } = world.next_page(at(1), 10, &passed_over).await else {
            panic!("nothing is due")
        };
        assert_eq!(next_due, expected);
    }
}
