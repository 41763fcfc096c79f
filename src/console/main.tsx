// The console: a page for people, over the public GraphQL API alone.
import { render } from 'preact';
import { App } from './app.js';
import './base.css';
import './page.css';
import './parts.css';
import './people.css';
import './receipt.css';
import { startTheme } from './theme.js';

startTheme();
render(<App />, document.getElementById('console') as HTMLElement);
