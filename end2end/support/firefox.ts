// A real Firefox whose push service is the stand-in.

import puppeteer, { type Browser } from 'puppeteer-core';

export function startFirefox(websocketUrl: string): Promise<Browser> {
  return puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    extraPrefsFirefox: {
      'dom.push.serverURL': websocketUrl,
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.connection.enabled': true,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
      'intl.accept_languages': 'ja',
    },
  });
}
