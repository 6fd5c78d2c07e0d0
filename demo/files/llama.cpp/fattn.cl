// Flash attention for OpenCL, prefill.
kernel void flash_attn_f16(global const half * q, global const half * k, global const half * v, global half * dst, const int n_kv) {
    local half tile[64 * 32];
    for (int block = 0; block < n_kv; block += 32) {
        load_rows(tile, k, block);
        barrier(CLK_LOCAL_MEM_FENCE);
        accumulate(tile, q, v, dst, block);
    }
}
