// Runs in the browser, on every page: tabs of code, copying, and search. A page without it shows all that it has, one below the other.
import MiniSearch from 'minisearch';

const kept = {
  get: () => {
    try {
      return localStorage.getItem('docs.language');
    } catch {
      return null;
    }
  },
  set: (language) => {
    try {
      localStorage.setItem('docs.language', language);
    } catch {}
  },
};

function make(tag, attributes = {}, text = '') {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
}

/** Shows the code of a language in every group that has it. */
function show(language) {
  for (const tab of document.querySelectorAll('.codes [role=tab]')) {
    const group = tab.closest('.codes');
    if (group.querySelector(`[role=tab][data-language="${language}"]`) === null) continue;
    const isShown = tab.dataset.language === language;
    tab.setAttribute('aria-selected', String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    document.getElementById(tab.getAttribute('aria-controls')).hidden = !isShown;
  }
}

/** Shows a language where a person chose it, and leaves what they look at where it is. */
function choose(tab) {
  const before = tab.getBoundingClientRect().top;
  show(tab.dataset.language);
  kept.set(tab.dataset.language);
  tab.focus({ preventScroll: true });
  scrollBy(0, tab.getBoundingClientRect().top - before);
}

function makeTabs() {
  for (const [at, group] of [...document.querySelectorAll('.codes')].entries()) {
    const bar = make('div', { role: 'tablist', 'aria-label': 'Language' });
    for (const [i, panel] of [...group.children].entries()) {
      const language = panel.dataset.language;
      panel.id = `code-${at}-${i}`;
      const own = {
        role: 'tab',
        id: `tab-${at}-${i}`,
        'aria-controls': panel.id,
        'aria-selected': String(i === 0),
        'data-language': language,
      };
      const tab = make('button', { type: 'button', ...own }, panel.dataset.label);
      tab.tabIndex = i === 0 ? 0 : -1;
      panel.hidden = i > 0;
      panel.setAttribute('role', 'tabpanel');
      panel.setAttribute('aria-labelledby', tab.id);
      tab.addEventListener('click', () => choose(tab));
      bar.append(tab);
    }
    bar.addEventListener('keydown', ({ key }) => {
      const tabs = [...bar.children];
      const step = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[key];
      if (step !== undefined) choose(tabs[(tabs.indexOf(document.activeElement) + step) % tabs.length]);
    });
    group.prepend(bar);
    group.classList.add('tabbed');
  }
  const language = kept.get();
  if (language !== null) show(language);
}

function makeCopyButtons() {
  for (const bar of document.querySelectorAll('.code > .bar')) {
    const button = make('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(bar.nextElementSibling.textContent);
        button.textContent = 'Copied';
      } catch {
        button.textContent = 'Not allowed';
      }
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    bar.append(button);
  }
}

/** A guide comes before the operations that it uses. */
const boostDocument = (_id, _term, { address }) => (address.startsWith('/docs/reference') ? 0.4 : 1);

/** The index of all pages, fetched when somebody wants to search. */
async function openIndex(address) {
  const index = new MiniSearch({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'address'],
    searchOptions: {
      boost: { title: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      boostDocument,
    },
  });
  const sections = await (await fetch(address)).json();
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return index;
}

/** The list below the field of the search: what it shows, and which of its lines is marked. */
function makeList(input) {
  const list = make('ul', { role: 'listbox', id: 'found', 'aria-label': 'Found' });
  list.hidden = true;
  const mark = (option) => {
    for (const other of list.children) other.setAttribute('aria-selected', String(other === option));
    if (option) input.setAttribute('aria-activedescendant', option.id);
    else input.removeAttribute('aria-activedescendant');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    mark(null);
  };
  const fill = (found) => {
    list.replaceChildren(
      ...found.map(({ title, page, address }, i) => {
        const option = make('li', { role: 'option', id: `found-${i}`, 'aria-selected': 'false', 'data-address': address });
        option.append(make('strong', {}, title), make('span', {}, page));
        return option;
      }),
    );
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    mark(list.firstElementChild);
  };
  const step = (by) => {
    const options = [...list.children];
    const at = options.findIndex((option) => option.getAttribute('aria-selected') === 'true');
    mark(options[Math.min(Math.max(at + by, 0), options.length - 1)]);
  };
  const go = (option) => {
    close();
    if (option) location.assign(option.dataset.address);
  };
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => go(target.closest('li')));
  return { list, close, fill, step, go: () => go(list.querySelector('[aria-selected=true]')) };
}

function makeSearch() {
  const place = document.querySelector('.search');
  const input = place?.querySelector('input');
  if (!input) return;
  const found = makeList(input);
  const said = make('p', { class: 'said', role: 'status' });
  place.append(found.list, said);
  const combobox = { role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'found', 'aria-autocomplete': 'list' };
  for (const [name, value] of Object.entries(combobox)) input.setAttribute(name, value);
  let opened;
  const load = () => {
    opened ??= openIndex(place.dataset.index);
    return opened;
  };
  input.addEventListener('focus', load);
  input.addEventListener('input', async () => {
    const index = await load();
    const words = input.value.trim();
    const results = words === '' ? [] : index.search(words).slice(0, 12);
    found.fill(results);
    said.textContent = words === '' ? '' : results.length === 0 ? 'Nothing found' : `${results.length} found`;
    place.classList.toggle('nothing', words !== '' && results.length === 0);
  });
  const keys = { ArrowDown: () => found.step(1), ArrowUp: () => found.step(-1), Enter: found.go, Escape: found.close };
  input.addEventListener('keydown', (event) => {
    if (keys[event.key] === undefined) return;
    keys[event.key]();
    event.preventDefault();
  });
  input.addEventListener('blur', found.close);
  document.addEventListener('keydown', (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? '');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

// The reference was at /docs once: links into it still lead there.
if (location.pathname.replace(/\/$/, '') === '/docs' && location.hash.startsWith('#/')) location.replace(`/docs/reference${location.hash}`);
makeTabs();
makeCopyButtons();
makeSearch();
