/** Follows the system's light or dark theme; `?theme=light|dark` overrides it. */
export function wearTheme(search: string): void {
  const theme = new URLSearchParams(search).get('theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme
}
