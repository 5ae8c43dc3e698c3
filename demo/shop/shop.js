// @ts-nocheck: a page script, written without types
// The demo shop's own script: chips that fill in an address, product tabs without page loads, a consent banner
// for those who want to see it. Loaded before the visitor script's tag, as a site owner would do it.

// Commands given before the visitor script is there are kept for it.
window.lead =
  window.lead ||
  ((...args) => {
    window.lead.q = window.lead.q || [];
    window.lead.q.push(args);
  });

/** What the visitor chose in the banner: undefined (banner off), 'ask', 'yes' or 'no'. */
const read = () => {
  try {
    return localStorage.getItem('shop-consent') || undefined;
  } catch {
    return undefined;
  }
};
const write = (value) => {
  try {
    if (value) localStorage.setItem('shop-consent', value);
    else localStorage.removeItem('shop-consent');
  } catch {}
};
const choice = read();
if (choice) window.leadConsent = 'wait';
if (choice === 'yes') window.lead('consent', true);
if (choice === 'no') window.lead('consent', false);

const items = {
  pack: {
    name: 'Tarn 28 pack',
    price: '$148.00',
    overview:
      'A day pack that carries like a smaller one. One big opening, one pocket for the things you want now, and a frame sheet that keeps the flask off your spine.',
    materials:
      'Recycled 420-denier nylon, waxed at the base. Buckles that can be replaced without sewing. 1,040 g.',
    care: 'Brush off the mud once it is dry. Cold water and a sponge; no machine, no softener.',
  },
  jacket: {
    name: 'Fell shell jacket',
    price: '$279.00',
    overview:
      'Three layers against three kinds of rain: the fine, the sideways, and the kind that comes from below.',
    materials:
      'Nylon face, breathable membrane, soft knit inside. Taped seams, hood that fits over a helmet. 430 g.',
    care: 'Machine wash cold with tech wash, then tumble dry warm for ten minutes to revive the finish.',
  },
  boot: {
    name: 'Cairn boots',
    price: '$215.00',
    overview:
      'Stiff where the path is loose, soft where the foot bends. Broken in after a weekend, not a season.',
    materials: 'Full-grain leather, cork footbed, a rubber sole that any cobbler can replace.',
    care: 'Paper inside, never the stove. Wax when the leather looks thirsty.',
  },
  tent: {
    name: 'Lantern tent for two',
    price: '$389.00',
    overview: 'Up in four minutes, calm in a gale, and bright as a lantern when someone reads inside.',
    materials: 'Two poles, ripstop fly, bathtub floor. Packed size of a loaf of bread. 1,890 g.',
    care: 'Pitch it once more at home to dry. Store it loose, not rolled.',
  },
  flask: {
    name: 'Ridge flask',
    price: '$34.00',
    overview: 'Tea that is still hot on the way down. Fits the side pocket of every pack we make.',
    materials: 'Double-walled steel, 25 ounces, a lid that is also the cup.',
    care: 'Hot water and a bottle brush. Leave the lid open overnight.',
  },
  blanket: {
    name: 'Drift wool blanket',
    price: '$96.00',
    overview:
      'For the tailgate, the cabin porch, and the couch. Warm when damp, and it doesn’t smell of smoke for long.',
    materials: 'Wool from old sweaters, spun again and woven wide. 140 by 200 cm.',
    care: 'Air it outside. If it must be washed: cool, by hand, flat to dry.',
  },
};

/** Draws the product page after its address: ?item=jacket&tab=care. */
function drawProduct() {
  const query = new URLSearchParams(location.search);
  const key = query.get('item') in items ? query.get('item') : 'pack';
  const tab = ['materials', 'care'].find((name) => name === query.get('tab')) || 'overview';
  const item = items[key];
  document.title = `${item.name} · Northwind Outfitters`;
  document.querySelector('[data-name]').textContent = item.name;
  document.querySelector('[data-price]').textContent = item.price;
  document.querySelector('[data-text]').textContent = item[tab];
  document.querySelector('[data-art]').setAttribute('href', `/art.svg#${key}`);
  for (const link of document.querySelectorAll('.tabs a')) {
    const name = link.dataset.tab;
    link.href = `/product.html?item=${key}&tab=${name}`;
    if (name === tab) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function startProduct() {
  drawProduct();
  addEventListener('popstate', drawProduct);
  for (const link of document.querySelectorAll('.tabs a'))
    link.addEventListener('click', (event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      if (link.href !== location.href) history.pushState({}, '', link.href);
      drawProduct();
    });
}

/** Turns the list of demo addresses into buttons that fill the sign-up form, here or on its own page. */
function startChips() {
  const input = document.querySelector('form.signup input[type=email]');
  const fill = (address) => {
    input.value = address;
    input.focus();
    input.scrollIntoView({ block: 'center' });
  };
  for (const list of document.querySelectorAll('.chips')) {
    const addresses = list.textContent.split(/[\s,;]+/).filter((word) => word.includes('@'));
    list.textContent = '';
    for (const address of addresses) {
      const chip = document.createElement('button');
      chip.type = 'button';
      chip.textContent = address;
      chip.addEventListener('click', () => {
        if (input) return fill(address);
        try {
          sessionStorage.setItem('shop-fill', address);
        } catch {}
        location.href = '/newsletter.html';
      });
      list.append(chip);
    }
  }
  try {
    const waiting = sessionStorage.getItem('shop-fill');
    if (waiting && input) fill(waiting);
    if (input) sessionStorage.removeItem('shop-fill');
  } catch {}
}

function startConsent() {
  const banner = document.querySelector('.consent');
  const toggle = document.querySelector('[data-consent-toggle]');
  const label = () => {
    toggle.textContent = read() ? 'Turn the consent banner off' : 'Try it with a consent banner';
  };
  banner.hidden = choice !== 'ask';
  label();
  for (const [name, given] of [
    ['yes', true],
    ['no', false],
  ])
    banner.querySelector(`[data-answer=${name}]`).addEventListener('click', () => {
      write(name);
      window.lead('consent', given);
      banner.hidden = true;
    });
  toggle.addEventListener('click', () => {
    write(read() ? undefined : 'ask');
    location.reload();
  });
}

document.addEventListener('DOMContentLoaded', () => {
  startChips();
  startConsent();
  if (document.body.dataset.page === 'product') startProduct();
  if (document.body.dataset.page === 'thanks') window.lead('thanks');
});
