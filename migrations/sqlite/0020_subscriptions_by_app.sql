-- For listing an app's subscriptions, newest first.

CREATE INDEX subscriptions_by_app ON subscriptions (app_id, id);
