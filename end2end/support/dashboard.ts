// The dashboard as its user drives it.

import type { Page } from 'puppeteer-core';

/** Fills `form` and waits for the page that follows. */
async function submit(page: Page, form: string, fields: Record<string, string>): Promise<void> {
  await page.waitForSelector(form);
  for (const [name, value] of Object.entries(fields)) {
    await page.locator(`${form} [name="${name}"]`).fill(value);
  }
  await Promise.all([page.waitForNavigation(), page.locator(`${form} [type="submit"]`).click()]);
}

export async function register(page: Page, hato: string, email: string): Promise<void> {
  await page.goto(`${hato}/register`);
  await submit(page, 'form[action="/_app/register"]', { email, password: 'correct horse' });
}

/** Makes an app and resolves with its id, from the address of its page. */
export async function createApp(page: Page, hato: string, name: string): Promise<string> {
  await page.goto(`${hato}/apps`);
  await submit(page, 'form[action="/_app/create_app"]', { name });
  const id = page.url().match(/app_[0-9a-z]+/)?.[0];
  if (!id) throw new Error(`no app in ${page.url()}`);
  return id;
}

/** Makes a key and resolves with the raw key, which the page shows this once. */
export async function createKey(page: Page, hato: string, app: string, scope: string): Promise<string> {
  await page.goto(`${hato}/apps/${app}`);
  await page.locator(`#keys form:not([hidden]) [value="${scope}"]`).click();
  await submit(page, '#keys form:not([hidden])', { name: `for ${scope}` });
  const shown = await rawKey(page);
  if (!shown) throw new Error('the page shows no key');
  await page.reload();
  if (await rawKey(page)) throw new Error('the page shows the key again');
  return shown;
}

async function rawKey(page: Page): Promise<string | undefined> {
  const text = await page.evaluate(() => document.body.innerText);
  return text.match(/pk_[0-9a-f]{64}/)?.[0];
}
