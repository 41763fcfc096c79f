// Light or dark: as the system says, unless a person has chosen otherwise in this browser.
import { useEffect, useState } from 'preact/hooks';

export type Theme = 'light' | 'dark';

const place = 'console.theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

function chosen(): Theme | undefined {
  try {
    const stored = localStorage.getItem(place);
    return stored === 'light' || stored === 'dark' ? stored : undefined;
  } catch {
    return undefined;
  }
}

function current(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : systemIsDark.matches ? 'dark' : 'light';
}

/** Applies what was chosen, before anything is painted. */
export function startTheme(): void {
  const theme = chosen();
  if (theme !== undefined) document.documentElement.dataset['theme'] = theme;
}

const changed = new EventTarget();

/** Chooses a theme, and keeps the choice where the browser lets it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  try {
    localStorage.setItem(place, theme);
  } catch {
    // It lasts until the page is left.
  }
  changed.dispatchEvent(new Event('change'));
}

/** The theme that is shown. */
export function useTheme(): Theme {
  const [theme, setTheme] = useState(current);
  useEffect(() => {
    const look = () => setTheme(current());
    systemIsDark.addEventListener('change', look);
    changed.addEventListener('change', look);
    return () => {
      systemIsDark.removeEventListener('change', look);
      changed.removeEventListener('change', look);
    };
  }, []);
  return theme;
}
