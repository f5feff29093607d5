// Without a font for mathematics Chromium does not lower indices: then the style sheet does.
const probe = document.createElement('div');
probe.innerHTML = '<math style="font-size: 100px"><msub><mi>x</mi><mi>x</mi></msub></math>';
document.body.append(probe);
const [base, index] = [...probe.querySelectorAll('mi')].map(letter => letter.getBoundingClientRect().bottom);
document.documentElement.classList.toggle('no-math-font', index < base + 6);
probe.remove();

// What is wider or higher than its place is reached by Tab, so that it can be scrolled by keys, too; where it fits it is not.
const sizes = new ResizeObserver(entries => {
  for (const { target: node } of entries) {
    const { overflowX, overflowY } = getComputedStyle(node);
    const wide = overflowX === 'auto' && node.scrollWidth > node.clientWidth;
    const high = overflowY === 'auto' && node.scrollHeight > node.clientHeight;
    if (wide || high) node.tabIndex = 0; else node.removeAttribute('tabindex');
  }
});
window.mlcoreScrolls = node => { sizes.observe(node); return node; };  // for what the site's scripts add
document.querySelectorAll('main :is(pre, .formula, .wide, p, li)').forEach(window.mlcoreScrolls);
