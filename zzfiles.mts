import { readFileSync } from 'node:fs';
const m = JSON.parse(readFileSync('dist/web/.vite/manifest.json','utf8'));
const files = new Map<string,string>();
const take=(key:string, by:string)=>{const c=m[key]; if(!c||files.has(c.file))return; files.set(c.file,`${c.name??''} <- ${by}`); for(const x of c.css??[])files.set(x,`css of ${c.file}`); for(const n of c.imports??[])take(n,c.name??c.file);};
for(const p of ['index.html','desk','features/accounts/companies/AgencyListPage.tsx']){const named=Object.keys(m).filter(k=>m[k].name===p); take(named.length===1?named[0]!:p,'root');}
console.log(files.size); for(const [f,b] of files) console.log(f,readFileSync('dist/web/'+f).length,b);
