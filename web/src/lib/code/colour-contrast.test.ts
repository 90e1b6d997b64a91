import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { CODE_CLASSES } from './colour-kinds'

const css = await Bun.file(join(import.meta.dir, '../../app.css')).text()

/** Each colour of the style sheet, in light and in dark. */
const palette = new Map(
  [...css.matchAll(/^ {2}--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);$/gm)].map(
    ([, name = '', light = '', dark = '']) => [name, { light, dark }] as const,
  ),
)
/** Grounds that code may stand on: those of pages, and those of lines with something to say. */
const mixes = [
  ...css.matchAll(/@utility ([\w-]+) \{\s+background: color-mix\(in oklab, var\(--(\w+)\) (\d+)%, var\(--(\w+)\)\)/g),
]

type Triple = readonly [number, number, number]
type Scheme = 'light' | 'dark'

const toLinear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)

function linearOf(name: string, scheme: Scheme): Triple {
  const hex = palette.get(name)?.[scheme] ?? ''
  const [red, green, blue] = [1, 3, 5].map((at) => toLinear(Number.parseInt(hex.slice(at, at + 2), 16) / 255))
  return [red ?? Number.NaN, green ?? Number.NaN, blue ?? Number.NaN]
}

/** As css-color-4 has it. */
function toOklab([red, green, blue]: Triple): Triple {
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ]
}

function fromOklab([light, a, b]: Triple): Triple {
  const long = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const middle = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const short = (light - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short,
  ]
}

function mixed(first: Triple, second: Triple, part: number): Triple {
  const [one, two] = [toOklab(first), toOklab(second)]
  const at = (place: 0 | 1 | 2) => one[place] * part + two[place] * (1 - part)
  return fromOklab([at(0), at(1), at(2)])
}

const luminance = ([red, green, blue]: Triple) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

function contrast(first: Triple, second: Triple): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('each colour of code can be read on each ground of the style sheet, also where lines were added or removed', () => {
  const kinds = CODE_CLASSES.filter((name) => name !== '').map((name) => name.replace('text-', ''))
  expect(kinds.every((name) => palette.has(name))).toBe(true)
  expect(mixes.map(([, name]) => name)).toEqual(expect.arrayContaining(['tint-done', 'tint-fail', 'row-current']))
  const weak: string[] = []
  for (const scheme of ['light', 'dark'] as const) {
    const plain = ['canvas', 'panel', 'sunken', 'hover'].map((name) => [name, linearOf(name, scheme)] as const)
    const tinted = mixes.map(([, name = '', colour = '', percent = '', ground = '']) => {
      return [name, mixed(linearOf(colour, scheme), linearOf(ground, scheme), Number(percent) / 100)] as const
    })
    for (const kind of kinds)
      for (const [name, ground] of [...plain, ...tinted])
        if (!(contrast(linearOf(kind, scheme), ground) >= 4.5)) weak.push(`${kind} on ${name}, ${scheme}`)
  }
  expect(weak).toEqual([])
})
