// The dashboard as its user drives it.

import type { Browser, Page } from 'puppeteer-core';

import { collectConsoleErrors } from './console-errors.ts';

/** Waits until the page's islands are hydrated: leaving earlier would cut off the loading of their code. */
async function waitForHydration(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('button.copy[hidden]'), { polling: 20 });
}

export async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await waitForHydration(page);
}

/** Fills `form` and waits for the page that follows. */
async function submit(page: Page, form: string, fields: Record<string, string>): Promise<void> {
  await page.waitForSelector(form);
  for (const [name, value] of Object.entries(fields)) {
    await page.locator(`${form} [name="${name}"]`).fill(value);
  }
  await Promise.all([page.waitForNavigation(), page.locator(`${form} [type="submit"]`).click()]);
  await waitForHydration(page);
}

export async function register(page: Page, hato: string, email: string): Promise<void> {
  await open(page, `${hato}/register`);
  await submit(page, 'form[action="/_app/register"]', { email, password: 'correct horse' });
}

/** Makes an app and resolves with its id, from the address of its page. */
export async function createApp(page: Page, hato: string, name: string): Promise<string> {
  await open(page, `${hato}/apps`);
  await submit(page, 'form[action="/_app/create_app"]', { name });
  const id = page.url().match(/app_[0-9a-z]+/)?.[0];
  if (!id) throw new Error(`no app in ${page.url()}`);
  return id;
}

/** The snippets that the dashboard offers for pasting: the page's part and the bell, with the key that was just made. */
async function snippets(page: Page): Promise<string> {
  const shown = (id: string) => page.$eval(id, (code) => code.textContent ?? '');
  return `${await shown('#embed-page')}\n${await shown('#embed-bell')}`;
}

/** Makes the snippets' own key with their button, and resolves with them. */
export async function createEmbedKey(page: Page, hato: string, app: string): Promise<string> {
  await open(page, `${hato}/apps/${app}/embed`);
  await submit(page, 'form[action="/_app/create_embed_key"]', {});
  return snippets(page);
}

/** Makes a key and resolves with the raw key, which the page shows this once. */
export async function createKey(page: Page, hato: string, app: string, scope: string): Promise<string> {
  await open(page, `${hato}/apps/${app}/keys`);
  await page.locator(`#create [value="${scope}"]`).click();
  await submit(page, '#create form', { name: `for ${scope}` });
  const shown = await rawKey(page);
  if (!shown) throw new Error('the page shows no key');
  await page.reload();
  await waitForHydration(page);
  if (await rawKey(page)) throw new Error('the page shows the key again');
  return shown;
}

async function rawKey(page: Page): Promise<string | undefined> {
  const text = await page.evaluate(() => document.body.innerText);
  return text.match(/pk_[0-9a-f]{64}/)?.[0];
}

/**
 * Opens a page of the dashboard with this session, in a context of its own: the browser is shared, and nobody else
 * shall find himself logged in. `consoleErrors` are its console's errors and warnings.
 */
export async function openSession(
  browser: Browser,
  hato: string,
  session: string,
  path: string,
): Promise<{ page: Page; consoleErrors: string[] }> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const consoleErrors = collectConsoleErrors(page);
  await context.setCookie({ name: 'hato_session', value: session, domain: 'localhost', path: '/' });
  await page.goto(`${hato}${path}`);
  return { page, consoleErrors };
}
