// How wide a picture is shown in a window.
// In a large window the picture grows, as far as the whole card can be seen.
const WIDEST = 1100;
const MARGIN = 125; // of a window, for what stands above and below the card
export function fitIn(root, { shown, rest, size: [width, height] }, window) {
  const fit = () => {
    const room = (window.clientHeight - rest - MARGIN) * width / height;
    root.classList.toggle('mlcore-narrow', window.clientWidth < 720);
    root.style.setProperty('--width', `${Math.round(Math.max(shown, Math.min(room, WIDEST, 1.6 * width)))}px`);
  };
  const sizes = new ResizeObserver(fit);
  sizes.observe(window);
  fit();
  return () => sizes.disconnect();
}
