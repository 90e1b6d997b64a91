/** Where the page takes a code. The code itself stands behind `#` there, which no browser sends or logs. */
export const LOGIN_PATH = '/login'
