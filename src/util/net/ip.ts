type Net = typeof import('node:net')

/** Loading `node:net` takes the start of a command some milliseconds, and most commands ask nothing of it. */
const net = (): Net => process.getBuiltinModule('node:net')

/** 4 or 6 as the text is an address of that version, 0 = it is none. */
export const ipVersion = (text: string): 0 | 4 | 6 => net().isIP(text) as 0 | 4 | 6
