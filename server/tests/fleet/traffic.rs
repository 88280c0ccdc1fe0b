//! All that a fleet does at a time: a send to everybody, of whom some fail and some leave, sends to one each beside it, and a webhook
//! that is told of all of them.

use hato_testkit::webhook_receiver::WebhookReceiver;

use crate::acceptor::Acceptor;
use crate::claims::Lost;
use crate::fates::Fates;
use crate::fixtures::Fleet;

/// What is under way.
pub struct Traffic {
    /// The send to everybody.
    pub send: String,
    fates: Fates,
    receiver: WebhookReceiver,
    acceptor: Acceptor,
}

impl Fleet {
    /// Begins all of it, for which nobody has been sent anything yet.
    pub async fn begin_traffic(&self) -> Traffic {
        let receiver = self.receive_events().await;
        let fates = self.assign_fates(&self.browsers);
        let acceptor = Acceptor::start(self, &fates.sent());
        Traffic {
            send: self.broadcast(0).await,
            fates,
            receiver,
            acceptor,
        }
    }

    /// Waits until all is done. Nothing was lost, and each recipient is on record, counted and told of once; was served once too, but
    /// for the pages that were lost by then.
    pub async fn assert_traffic_exact(&self, traffic: Traffic, lost: impl FnOnce(&Self) -> Lost) {
        let Traffic {
            send,
            fates,
            receiver,
            acceptor,
        } = traffic;
        let outcome = self.finish(&send).await;
        let accepted = acceptor.stop().await;
        println!("{} accepted besides {outcome}", accepted.len());
        let sent = fates.sent();
        let served = self.assert_accepted(&accepted, sent.len()).await;
        self.assert_exact_for(&sent, &outcome, &served, &lost(self));
        self.assert_failures(&send, &fates);
        self.assert_expired(self.browsers.len() - fates.remaining().len());
        self.assert_events(&receiver, &[(send, fates)]).await;
        self.assert_sound().await;
    }
}
