declare module 'virtual:routes' {
  const table: import('./build/routes.ts').CallTable;
  export default table;
}

/** A file of data that the browser fetches by its address. */
declare module '*.json?url' {
  const address: string;
  export default address;
}
