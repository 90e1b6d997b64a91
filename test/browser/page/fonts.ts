/**
 * The fonts that the browser of tests sees: pinned packages, whatever is installed on the machine.
 *
 * The pages ask for the system's fonts. A test that used them would measure another page on each machine.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The families that people's systems are like. The browser takes `usual` for the system's font; the others are the extremes that a page must
 * stand: letters a tenth narrower, letters a tenth wider, and lines that are a third taller than the letters ask for.
 */
export const FONTS = {
  usual: {
    family: 'Noto Sans',
    folders: ['@expo-google-fonts/noto-sans/400Regular', '@expo-google-fonts/noto-sans/600SemiBold'],
  },
  narrow: {
    family: 'Roboto Condensed',
    folders: ['@expo-google-fonts/roboto-condensed/400Regular', '@expo-google-fonts/roboto-condensed/600SemiBold'],
  },
  wide: { family: 'DejaVu Sans', folders: ['dejavu-fonts-ttf/ttf'] },
  tall: { family: 'Mukta', folders: ['@expo-google-fonts/mukta/400Regular', '@expo-google-fonts/mukta/600SemiBold'] },
} as const

export type Fonts = keyof typeof FONTS

const MONO = { family: 'DejaVu Sans Mono', folder: 'dejavu-fonts-ttf/ttf' }
const modules = resolve(import.meta.dir, '../../../node_modules')

/**
 * Writes the settings by which fontconfig finds all of these fonts and no others.
 *
 * @returns the file, for `FONTCONFIG_FILE`
 * @throws Error  a package of fonts is not installed
 */
export function fontSettings(): string {
  const folders = Object.values(FONTS).flatMap((font): readonly string[] => font.folders)
  const places = [...new Set([...folders, MONO.folder])].map((folder) => join(modules, folder))
  for (const place of places) if (!existsSync(place)) throw new Error(`There are no fonts in ${place}. Run npm ci.`)
  const cache = join(modules, '.cache/lodeline-fonts')
  const file = join(cache, 'fonts.conf')
  mkdirSync(cache, { recursive: true })
  writeFileSync(file, settings(places, join(cache, 'index'), FONTS.usual.family))
  return file
}

const settings = (places: readonly string[], cache: string, family: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
${places.map((place) => `  <dir>${place}</dir>`).join('\n')}
  <cachedir>${cache}</cachedir>
${['sans-serif', 'serif', 'system-ui', 'ui-sans-serif', 'emoji'].map((asked) => alias(asked, family)).join('\n')}
${['monospace', 'ui-monospace'].map((asked) => alias(asked, MONO.family)).join('\n')}
</fontconfig>
`

const alias = (asked: string, family: string): string =>
  `  <match target="pattern"><test name="family"><string>${asked}</string></test><edit name="family" mode="prepend" binding="strong"><string>${family}</string></edit></match>`
