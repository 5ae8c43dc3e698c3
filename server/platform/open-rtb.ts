/** What we use of OpenRTB 2.6 (IAB Tech Lab). Prices are dollars for 1,000 impressions, as on the wire. */
export interface BidRequest {
  id: string;
  at: 1;
  tmax: number;
  cur: ['USD'];
  imp: { id: string; banner: { w: number; h: number }; bidfloor: number; secure: 0 | 1 }[];
  site: { domain: string; page: string };
  device: {
    ua: string;
    /** `lat` and `lon` are degrees. */
    geo: { country: string; region?: string; city?: string; zip?: string; lat?: number; lon?: number };
    ip?: string;
    /** The advertising id of a mobile device. */
    ifa?: string;
  };
  user: { id: string; eids?: { source: string; uids: { id: string; atype: 3 }[] }[] };
  regs: { coppa: 0 | 1; gpp?: string; gpp_sid?: number[] };
  badv?: string[];
}

export interface Bid {
  id: string;
  impid: string;
  price: number;
  adomain: string[];
  cid: string;
  crid: string;
  w: number;
  h: number;
  /** Seconds until an impression must have been billed. */
  exp: number;
  mtype: 1;
  /** Asked when the bid won, when it is billed, and when it lost; `adm` is what is shown. */
  nurl?: string;
  burl?: string;
  lurl?: string;
  adm?: string;
}

export interface BidResponse {
  id: string;
  cur: 'USD';
  seatbid: { seat: string; bid: Bid[] }[];
}
