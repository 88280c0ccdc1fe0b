// The ways in which everything has to work: in both languages, and with scripts off.

export interface Way {
  name: string;
  lang: 'ja' | 'en';
  locale: string;
  scripts: boolean;
}

export const ways: Way[] = [
  { name: 'in Japanese', lang: 'ja', locale: 'ja-JP', scripts: true },
  { name: 'in English', lang: 'en', locale: 'en-GB', scripts: true },
  { name: 'with scripts off', lang: 'ja', locale: 'ja-JP', scripts: false },
];
