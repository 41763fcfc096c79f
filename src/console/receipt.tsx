// The public page of a receipt: whoever has a link or a file sees what it proves, checked in this browser.
import { render } from 'preact';
import './base.css';
import './page.css';
import './parts.css';
import './receipt.css';
import { ReceiptPage } from './receipt-page.js';
import { startTheme } from './theme.js';

startTheme();
render(<ReceiptPage />, document.getElementById('receipt') as HTMLElement);
