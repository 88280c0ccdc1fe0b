// Who the visitor is and which tags they have (CONTRACT 12). The server keeps both with the browser's
// subscription. What it cannot be told yet, because there is none, waits for the next registration.

const loadAudience = async ({ scope }) => (await getValue(audienceKey(scope))) || {};
const storeAudience = ({ scope }, audience) => setValue(audienceKey(scope), audience);

// --- What the server does not know

// The members of the registration of a browser that has none yet.
function introduce({ user, add_tags }) {
  return { ...(user?.user_id && user), tags: add_tags?.length ? add_tags : undefined };
}

// The members of a PATCH, for a subscription that is registered.
function findUntold({ user, endpoint, add_tags, remove_tags }, registered) {
  const untold = endpoint === registered.endpoint ? {} : { ...user };
  if (add_tags?.length) untold.add_tags = add_tags;
  if (remove_tags?.length) untold.remove_tags = remove_tags;
  for (const [name, value] of Object.entries(browserLocale())) {
    if (value && value !== registered[name]) untold[name] = value;
  }
  return untold;
}

// The user stays remembered, for a subscription that the visitor makes after the end of this one.
function storeTold(settings, { user, ...told }, endpoint) {
  const at = told.endpoint === endpoint ? told.at : Date.now();
  return storeAudience(settings, { user, endpoint, at });
}

// What is refused once is refused each time, and must not stand in the way of a registration. A log-out
// that waits is none of it.
async function forgetRefused(settings, { code }) {
  if (code !== "INVALID_USER_TOKEN" && code !== "INVALID_INPUT") return;
  const { user, ...tags } = await loadAudience(settings);
  const loggedOut = user?.user_id ? undefined : user;
  await storeAudience(settings, { user: loggedOut, ...(code === "INVALID_USER_TOKEN" && tags) });
}

async function settleAudience(settings, audience, endpoint, telling) {
  try {
    const answer = await telling;
    if (!answer.vapid_public_key) await storeTold(settings, audience, endpoint);
    return answer;
  } catch (error) {
    await forgetRefused(settings, error);
    throw error;
  }
}

// --- Telling it

// Of a browser that it was told of before, the server knows more than the page: what is new follows later. So it
// does after a refusal of the VAPID key, which says nothing about the visitor.
async function registerVisitor(settings, subscription, before) {
  const audience = before.length ? {} : await loadAudience(settings);
  const registering = registerSubscription(settings, subscription, before, introduce(audience));
  const telling = registering.catch((error) => findPrimaryKey(settings, error));
  // A registration cannot take a user away: a log-out is told behind it.
  const endpoint = audience.user?.user_id && subscription.endpoint;
  return before.length ? telling : settleAudience(settings, audience, endpoint, telling);
}

// What the server was told of the subscription that the browser holds.
async function findTold(settings) {
  const { registered, held } = await findOwn(settings);
  return registered.find(({ endpoint }) => held.some((it) => it.endpoint === endpoint));
}

async function tellServer(settings, registered, audience) {
  const { scope, endpoint } = registered;
  const details = { endpoint, ...findUntold(audience, registered) };
  const telling = call(settings, "PATCH", "/api/v1/subscriptions", details);
  const answer = await settleAudience(settings, audience, endpoint, telling);
  await setValue(registeredKey(scope), { ...registered, ...browserLocale() });
  return answer;
}

// A server that lost the registration, or gave up on the endpoint, is told of everything anew.
async function tellOrRegister(settings, registered, audience) {
  try {
    return await tellServer(settings, registered, audience);
  } catch (error) {
    if (error.status !== 404) throw error;
    await storeAudience(settings, { ...audience, endpoint: undefined });
    await resubscribe(settings);
    return tellServer(settings, await findTold(settings), await loadAudience(settings));
  }
}

async function tellUntold(settings, tell) {
  const registered = await findTold(settings);
  const audience = await loadAudience(settings);
  if (registered && Object.keys(findUntold(audience, registered)).length) await tell(settings, registered, audience);
}

// --- The functions of the page

// After the page's own repair, which would give way to whoever holds the lock. A browser that cannot be
// notified has nobody to tell of.
async function withAudience(act) {
  requireInit();
  if (!isSupported()) return { tags: [] };
  await initialized.started.catch(() => {});
  return withLock(async () => {
    const settings = await loadSettings();
    return act(settings, await findTold(settings), await loadAudience(settings));
  });
}

// With a subscription, a change that cannot be told ends with the error; without one, it is remembered.
async function update(settings, registered, audience) {
  if (registered) return tellOrRegister(settings, registered, audience);
  await storeAudience(settings, audience);
  return { tags: audience.add_tags || [] };
}

// A page may say on each view who the visitor is: the same user costs one request a day.
async function identify(userId, user_token) {
  if (!userId || !user_token) throw failure("MISSING_FIELDS", "userId and userToken are required");
  const user_id = String(userId);
  await withAudience(async (settings, registered, audience) => {
    const { user, endpoint, at } = audience;
    const isSame = user?.user_id === user_id && user.user_token === user_token;
    if (isSame && endpoint && endpoint === registered?.endpoint && isWithin(at, DAY)) return;
    await update(settings, registered, { ...audience, user: { user_id, user_token }, endpoint: undefined });
  });
}

// Remembered in any case: whoever uses the browser next must not get what is meant for this user.
async function forget() {
  await withAudience(async (settings, registered) => {
    const audience = { user: { user_id: null } };
    await storeAudience(settings, audience);
    if (registered) await tellOrRegister(settings, registered, audience);
  });
}

// A tag that begins with "_" is the owner's, and no page's.
const isTag = (text) => typeof text === "string" && /^[a-z\d.:-][\w.:-]{0,63}$/i.test(text);

function requireTags(tags) {
  if (Array.isArray(tags) && tags.length <= 50 && tags.every(isTag)) return;
  throw failure("INVALID_INPUT", "At most 50 tags of 1 to 64 A-Z a-z 0-9 _ . : - and no _ in front");
}

// In the server's order.
const united = (one = [], other) => [...new Set([...one, ...other])].sort();

async function changeTags(add, remove) {
  [add, remove].forEach(requireTags);
  const { tags } = await withAudience((settings, registered, audience) => {
    const add_tags = united(audience.add_tags, add).filter((tag) => !remove.includes(tag));
    const remove_tags = united(audience.remove_tags, remove).filter((tag) => !add.includes(tag));
    requireTags(add_tags);
    return update(settings, registered, { ...audience, add_tags, remove_tags });
  });
  return tags;
}
