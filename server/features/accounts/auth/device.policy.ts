const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]{1,20} [^\n]{0,300}Safari\//, 'Safari'],
];
const systems: [RegExp, string, 'computer' | 'phone' | 'tablet'][] = [
  [/\biPhone\b/, 'iPhone', 'phone'],
  [/\biPad\b/, 'iPad', 'tablet'],
  [/\bAndroid\b[^\n]{0,300}\bMobile\b/, 'Android', 'phone'],
  [/\bAndroid\b/, 'Android', 'tablet'],
  [/\bWindows\b/, 'Windows', 'computer'],
  [/\bCrOS\b/, 'ChromeOS', 'computer'],
  [/\bMac OS X\b/, 'macOS', 'computer'],
  [/\bLinux\b/, 'Linux', 'computer'],
];

/** Describes the device in a user agent, in words for its owner: 'Chrome on Windows'. */
export function deviceOf(userAgent: string | null): {
  device: string;
  kind: 'computer' | 'phone' | 'tablet' | 'other';
} {
  const text = userAgent ?? '';
  const browser = browsers.find(([pattern]) => pattern.test(text))?.[1];
  const [, system, kind] = systems.find(([pattern]) => pattern.test(text)) ?? [];
  const device = browser && system ? `${browser} on ${system}` : (browser ?? system ?? 'Unknown device');
  return { device, kind: kind ?? 'other' };
}
