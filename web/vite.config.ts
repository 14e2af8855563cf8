import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

/** Every browser the page is for reads woff2; the same fonts in older formats would be most of what is built. */
const onlyWoff2: Plugin = {
  name: 'only-woff2',
  enforce: 'pre',
  transform: (css, id) =>
    /katex[^/]*\.css$/.test(id) ? css.replace(/,\s*url\([^)]*\.(?:woff|ttf)\) format\("[a-z]+"\)/g, '') : undefined,
}

const config: UserConfig = defineConfig({
  // Relative, so that the page also works below a path of a reverse proxy.
  base: './',
  plugins: [react(), onlyWoff2],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // light-dark() and the modal dialog stand here by themselves; older browsers get no half-working copy.
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // The page's policy allows no inline anything and no data: fonts, so nothing may be folded into the markup.
    assetsInlineLimit: 0,
    modulePreload: false,
  },
})

export default config
