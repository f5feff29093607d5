// Without a font for mathematics Chromium does not lower indices: then the style sheet does.
const probe = document.createElement('div');
probe.innerHTML = '<math style="font-size: 100px"><msub><mi>x</mi><mi>x</mi></msub></math>';
document.body.append(probe);
const [base, index] = [...probe.querySelectorAll('mi')].map(letter => letter.getBoundingClientRect().bottom);
document.documentElement.classList.toggle('no-math-font', index < base + 6);
probe.remove();

// What is too wide for the window can be scrolled, from the keyboard too.
const reach = () => document.querySelectorAll('.formula, .wide, p, li').forEach(wide => {
  if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0; else wide.removeAttribute('tabindex');
});
reach();
addEventListener('resize', reach);
